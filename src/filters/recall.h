/* SPDX-License-Identifier: MIT */
/*
 * What a filter remembers of the accesses it has seen, in bounded memory: a hash
 * table from (code location, variable, thread, kind, locks held) to the thread's
 * frame in which such an access was last seen. Open addressing with the entries in
 * the table itself, so that a look-up is one cache line as a rule.
 *
 * When the table holds as many entries as it may, the caller takes out a victim
 * before it puts a new one in. Victims are chosen by the clock algorithm: a hand
 * goes round and takes the first entry that has not been used since it last passed.
 *
 * Used by tree.c and span.c. Not for concurrent use. Allocates.
 */
#ifndef DH_FILTERS_RECALL_H
#define DH_FILTERS_RECALL_H

#include "lockset/lockset.h"

struct dh_recall_key {
	uint32_t site;
	uint32_t var;
	uint32_t who; /* dh_recall_who(); never 0 */
	dh_lockset held;
	dh_lockset held_write;
};

struct dh_recall {
	struct dh_recall_key key; /* who is 0 in an empty place */
	uint32_t frame;
	uint32_t generation;  /* of the variable; see guard.h */
	uint32_t parked : 31; /* the access that is held back, or 0; stack.h */
	uint32_t recent : 1;  /* used since the hand passed */
};
_Static_assert(sizeof(struct dh_recall) == 32, "two to a cache line");

struct dh_recalls {
	struct dh_recall *at;
	size_t cap; /* a power of two, or 0 */
	size_t len;
	size_t hand;
};

DH_INLINE uint32_t dh_recall_who(uint32_t thread, bool write)
{
	return (thread + 1) << 1 | write;
}

DH_INLINE size_t dh_recall_home(const struct dh_recalls *h, const struct dh_recall_key *k)
{
	uint64_t place = (uint64_t)k->site << 32 | k->var;
	uint64_t locks = (uint64_t)k->held << 32 | k->held_write;
	uint64_t x = place * 0x9e3779b97f4a7c15ull + locks * 0xc2b2ae3d27d4eb4full +
		     k->who * 0x165667b19e3779f9ull;
	return (size_t)((x ^ x >> 32) * 0xd6e8feb86659fd93ull >> 32) & (h->cap - 1);
}

DH_INLINE bool dh_recall_is(const struct dh_recall *h, const struct dh_recall_key *k)
{
	return ((h->key.site ^ k->site) | (h->key.var ^ k->var) | (h->key.who ^ k->who) |
		(h->key.held ^ k->held) | (h->key.held_write ^ k->held_write)) == 0;
}

/* The entry of a key, or NULL. Entries move: valid until the next dh_recall_put()
 * or dh_recall_remove(). */
DH_INLINE struct dh_recall *dh_recall_find(const struct dh_recalls *h,
					   const struct dh_recall_key *k)
{
	if (DH_UNLIKELY(h->cap == 0))
		return NULL;
	size_t i = dh_recall_home(h, k);
	while (h->at[i].key.who) {
		if (DH_LIKELY(dh_recall_is(&h->at[i], k)))
			return &h->at[i];
		i = (i + 1) & (h->cap - 1);
	}
	return NULL;
}

/* A new entry, zero but for its key, which must not be there yet. */
struct dh_recall *dh_recall_put(struct dh_recalls *h, const struct dh_recall_key *k);

/* The entry to take out next. The table must not be empty. */
struct dh_recall *dh_recall_victim(struct dh_recalls *h);

void dh_recall_remove(struct dh_recalls *h, struct dh_recall *entry);

void dh_recalls_free(struct dh_recalls *h);

#endif
