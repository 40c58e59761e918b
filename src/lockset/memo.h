/* SPDX-License-Identifier: MIT */
/*
 * Remembered answers: 64-bit question -> 32-bit answer, for operations whose
 * answer never changes.
 *
 * A growing hash of questions, not a fixed cache that overwrites: an entry is
 * written once, value before key, and never again, so a reader that sees its key
 * (acquire) has the right value, with no sequence counter and no retry. It also
 * answers every question asked before, while two hot ones could push each other
 * out of a direct-mapped cache for ever. What it costs is memory per distinct
 * question; past DH_MEMO_MOST entries no more are taken in, and the caller
 * computes those answers every time.
 *
 * Growth, old tables and concurrency are as in index.h: any number of readers
 * beside one writer.
 */
#ifndef DH_LOCKSET_MEMO_H
#define DH_LOCKSET_MEMO_H

#include "base/base.h"

#define DH_MEMO_NOT_A_KEY UINT64_MAX
#define DH_MEMO_MOST	  ((size_t)1 << 21) /* 64 MiB of slots at half full */

struct dh_memo_entry {
	uint64_t key;	/* atomic: complement of the question, so that 0 is free */
	uint32_t value; /* written before the key, then fixed */
};

struct dh_memo_table {
	struct dh_memo_table *older;
	size_t mask; /* slots - 1 */
	size_t used; /* atomic, by the writer */
	struct dh_memo_entry at[];
};

struct dh_memo {
	struct dh_memo_table *now; /* atomic; NULL: empty */
	size_t bytes;		   /* atomic */
};

/* Is there an answer? Question: any but DH_MEMO_NOT_A_KEY. */
DH_INLINE bool dh_memo_get(const struct dh_memo *m, uint64_t question, uint32_t *answer)
{
	const struct dh_memo_table *t = __atomic_load_n(&m->now, __ATOMIC_ACQUIRE);
	if (DH_UNLIKELY(!t))
		return false;
	for (size_t i = (size_t)dh_mix(question);; i++) {
		const struct dh_memo_entry *e = &t->at[i & t->mask];
		/* Acquire: the value was written before the key. */
		uint64_t key = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE);
		if (DH_LIKELY(key == ~question)) {
			*answer = e->value;
			return true;
		}
		if (key == 0)
			return false;
	}
}

/* Remembers an answer; one that is there already is left alone. By the writer. */
void dh_memo_put(struct dh_memo *m, uint64_t question, uint32_t answer);

/* How many answers are remembered. */
size_t dh_memo_len(const struct dh_memo *m);

void dh_memo_free(struct dh_memo *m);

#endif
