/* SPDX-License-Identifier: MIT */
/*
 * Sets of records, for cells that were read by several threads, or read or written at
 * several places in different bytes. A set is immutable, kept once,
 * because neighbouring cells mostly have the same one: an array that 64 threads have
 * read is one set, not one list per granule.
 *
 * A word (of a cell) is 0, a record, or the tag of a set of two or more. Of writes each
 * byte has one, the last, so their records are for different bytes.
 *
 * Concurrency: any number of threads. Making a set takes a lock; the caller is `inside`
 * the runtime (thread.h).
 */
#ifndef DH_RUNTIME_SETS_H
#define DH_RUNTIME_SETS_H

#include "runtime/shadow.h"

struct dh_set {
	uint32_t count;
	dh_record at[]; /* ascending */
};

/* Sets are in mapped memory, far above the small numbers of other tags. */
DH_INLINE bool dh_sets_is_set(dh_record word)
{
	return dh_record_is_tag(word) && dh_record_tag_value(word) >> 32 != 0;
}

DH_INLINE const struct dh_set *dh_sets_get(dh_record word)
{
	return (const struct dh_set *)(uintptr_t)dh_record_tag_value(word);
}

/* The records of a word: *count gets their number. place holds the record where the
 * word is one itself. Valid while the word is in a cell. */
DH_INLINE const dh_record *dh_sets_items(dh_record word, dh_record *place, uint32_t *count)
{
	if (DH_UNLIKELY(dh_sets_is_set(word))) {
		*count = dh_sets_get(word)->count;
		return dh_sets_get(word)->at;
	}
	*place = word;
	*count = word != 0;
	return place;
}

/* The word of these records, in any order; some may be 0. */
dh_record dh_sets_make(const dh_record *records, uint32_t count);

/* The word that dh_sets_add() would give for a record of a whole granule, if that set
 * exists; else 0. */
dh_record dh_sets_find(dh_record word, dh_record rec, const uint32_t *vc);

/* Adds a record; it takes the place of earlier ones of the same thread, and of those that
 * are in vc, the clock of who has made it (or NULL), as far as they have no other bytes
 * (but an atomic read not that of a plain one, which conflicts with more), and is joined
 * with one of the same place and time frame. fine: all records are for all bytes of the
 * cell. *fresh: there was no such set yet. */
dh_record dh_sets_add(dh_record word, dh_record rec, const uint32_t *vc, bool fine,
		      bool *fresh);

/* The last writes of a granule with one more: others lose the bytes that it has. At most
 * eight come of it. *fresh as above. */
dh_record dh_sets_put(dh_record word, dh_record rec, bool *fresh);

/* Are there so few that one more is no matter? Sets are never given back, so those that
 * can be done without are not made once this is false. */
bool dh_sets_roomy(void);

struct dh_sets_stats {
	uint64_t sets;
	uint64_t bytes;
	uint64_t forgotten; /* records dropped because the table is full */
};
void dh_sets_get_stats(struct dh_sets_stats *s);

#endif
