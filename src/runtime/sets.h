/* SPDX-License-Identifier: MIT */
/*
 * Sets of records, for cells that were read by several threads, or read or written at
 * several places in different bytes. A set is immutable, kept once,
 * because neighbouring cells mostly have the same one: an array that 64 threads have
 * read is one set, not one list per granule.
 *
 * A word (of a cell) is 0, a record, or the tag of a set of two or more: where the set is
 * (a number), and a site. Records that have one site in common are kept without it, and
 * the word has it: what tasks have read in a loop that the compiler unrolled is one set,
 * not one for each copy of the loop's body. Otherwise the word's site is 0. Of plain writes
 * each byte has one, the last, so their records are for different bytes; those of atomic
 * ones, and of a plain one beneath them, are for the same.
 *
 * Concurrency: any number of threads. Making a set takes a lock; the caller is `inside`
 * the runtime (thread.h).
 */
#ifndef DH_RUNTIME_SETS_H
#define DH_RUNTIME_SETS_H

#include "runtime/shadow.h"

struct dh_set {
	uint64_t hash; /* for sets.c */
	uint32_t count;
	dh_record at[]; /* ascending */
};

/* Sets lie in chunks, in steps of DH_SET_STEP bytes, by which they are numbered. The first
 * chunk is never made, so that no number is as small as those of other tags. */
enum {
	DH_SET_STEP = 16,
	DH_SET_CHUNK_BITS = 12, /* steps in a chunk */
	DH_SET_CHUNKS = 1 << 15,
};
extern DH_HOT_VISIBLE char *dh_set_chunks[DH_SET_CHUNKS] DH_SHARED("chunks"); /* atomic */
_Static_assert(DH_SITE_BITS + DH_SET_CHUNK_BITS >= 32, "see dh_sets_is_set()");

/* Is a tag that of a set? The upper bits of its number are neither 0 nor the uppermost one
 * (tags.h). */
DH_INLINE bool dh_sets_tags(dh_record tag)
{
	return (int64_t)(tag << DH_SLOT_BITS) >> (DH_SLOT_BITS + 32) > 0;
}

DH_INLINE bool dh_sets_is_set(dh_record word)
{
	return dh_record_is_tag(word) && dh_sets_tags(word);
}

DH_INLINE const struct dh_set *dh_sets_get(dh_record word)
{
	const uint64_t number = dh_record_tag_value(word) >> DH_SITE_BITS;
	const char *chunk = __atomic_load_n(&dh_set_chunks[number >> DH_SET_CHUNK_BITS],
					    __ATOMIC_RELAXED);
	const size_t step = number & ((1 << DH_SET_CHUNK_BITS) - 1);
	return (const struct dh_set *)(const void *)(chunk + step * DH_SET_STEP);
}

/* The site that all records of the set have, where they are kept without; else 0. Of any
 * other word 0. */
DH_INLINE dh_record dh_sets_site(dh_record word)
{
	return dh_sets_is_set(word) ? word & DH_RECORD_SITE_MAX : 0;
}

/* The word without that site: what it says of threads, times and bytes. */
DH_INLINE dh_record dh_sets_key(dh_record word)
{
	return word & ~(dh_record)DH_RECORD_SITE_MAX;
}

/* The site that the records of the word, one or a set, and one more have in common, so
 * that the set of them all is found without it; else 0. */
DH_INLINE dh_record dh_sets_common(dh_record word, dh_record rec)
{
	return ((word ^ rec) & DH_RECORD_SITE_MAX) == 0 ? rec & DH_RECORD_SITE_MAX : 0;
}

/* The records of a word, but for dh_sets_site(): *count gets their number. place holds
 * the record where the word is one itself. Valid while the word is in a cell. */
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

/* The last writes of a granule with one more: others lose the bytes that it has. *fresh as
 * above. */
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
