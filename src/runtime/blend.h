/* SPDX-License-Identifier: MIT */
/*
 * Blends of sites: one record for accesses of one thread, in one time frame, to different
 * bytes of a granule, from different places of the program. In the field of its site such
 * a record has the number of a blend, which says for each byte which site it was.
 *
 * Code that works on bytes (compressors, parsers, hash functions) reads and writes its
 * data at every offset and from dozens of places. Without blends each granule of such data
 * would need several records. A blend knows nothing of threads, times or addresses, so the
 * same few come up again and again.
 *
 * Numbers of blends follow those of sites (context.h): DH_BLEND_FIRST is the first. The
 * table is bounded; what finds it full does without.
 *
 * Concurrency: any number of threads; see each function.
 */
#ifndef DH_RUNTIME_BLEND_H
#define DH_RUNTIME_BLEND_H

#include "runtime/access.h"

enum {
	DH_BLENDS_MAX = 1 << 18,
	DH_BLEND_FIRST = DH_RECORD_SITE_MAX + 1 - DH_BLENDS_MAX,
	DH_BLEND_MEMO_BITS = 14, /* of the number of entries that a thread's cache has */
	DH_BLEND_MEMO = 1 << DH_BLEND_MEMO_BITS,
};

/* What came of two records: one word, where the key of both, scattered, leads to. It has the
 * rest of that, and the number of the blend + 1; so it is the key's or it is not. */
enum {
	DH_BLEND_KEY_BITS = 2 * DH_ATOMIC_SHIFT - 1,
	DH_BLEND_NUMBER_BITS = 19,
};
_Static_assert(DH_BLENDS_MAX >> DH_BLEND_NUMBER_BITS == 0 &&
		   DH_BLEND_KEY_BITS - DH_BLEND_MEMO_BITS + DH_BLEND_NUMBER_BITS <= 64,
	       "a step is one word");

/* What a thread has for a memo that has noted nothing yet. */
extern uint64_t dh_no_blends[DH_BLEND_MEMO];

/* Can the two be one? Plain, of one time frame. Not tags. Where one may have elders
 * (elders.h), that is the first. */
DH_INLINE bool dh_blends(dh_record a, dh_record b)
{
	return !((a ^ b) >> DH_CLOCK_SHIFT) && !((a | b) & DH_ATOMIC_FLAG);
}

/* The bytes and sites of both, scattered. Neither has the flag of elders here, so there is room
 * for the uppermost bit. */
DH_INLINE uint64_t dh_blend_key(dh_record old, dh_record rec)
{
	const uint64_t part = ((uint64_t)1 << DH_ATOMIC_SHIFT) - 1;
	const uint64_t both = (old & part & ~DH_ELDERS_FLAG) << DH_ATOMIC_SHIFT | (rec & part);
	const uint64_t key = both | both >> DH_BLEND_KEY_BITS << DH_ELDERS_SHIFT;
	return key * 0x9e3779b97f4a7c15ull & (((uint64_t)1 << DH_BLEND_KEY_BITS) - 1);
}

/* The number that a word has for the key; DH_BLENDS_MAX: it is not that key's. */
DH_INLINE uint32_t dh_blend_step(uint64_t word, uint64_t key)
{
	const uint64_t number = word ^ key << DH_BLEND_NUMBER_BITS;
	return number - 1 < DH_BLENDS_MAX ? (uint32_t)number - 1 : DH_BLENDS_MAX;
}

/* The word that has it. */
DH_INLINE uint64_t dh_blend_word(uint64_t key, uint32_t number)
{
	return key << DH_BLEND_NUMBER_BITS | (number + 1);
}

DH_INLINE uint64_t *dh_blend_memo_of(const struct dh_self *t, uint64_t key)
{
	return &t->state->blends[key >> (DH_BLEND_KEY_BITS - DH_BLEND_MEMO_BITS)];
}

/* One record for both, with the site of their blend. */
DH_INLINE dh_record dh_blended(dh_record old, dh_record rec, uint32_t site)
{
	return dh_record_with_elders_of(
	    (old & rec & ~(uint64_t)DH_RECORD_SITE_MAX) | site, old);
}

/* The same, if the thread has made that blend before; else 0. For bytes that
 * both have it says what rec says: of what overlaps, fewer blends come of it so. The thread
 * need not be `inside`. */
DH_INLINE dh_record dh_blend_at_hand(const struct dh_self *t, dh_record old, dh_record rec)
{
	const uint64_t key = dh_blend_key(old, rec);
	const uint32_t number = dh_blend_step(DH_LOAD(dh_blend_memo_of(t, key)), key);
	return number < DH_BLENDS_MAX ? dh_blended(old, rec, DH_BLEND_FIRST + number) : 0;
}

/* The same, and makes it; 0 where the table is full. *fresh: no thread had made it before.
 * The thread is `inside`. Takes a lock, allocates. */
dh_record dh_blend(struct dh_self *t, dh_record old, dh_record rec, bool *fresh);

/* The record as that of the access which touched the first of these bytes that it has; a
 * record with a site of its own as it is. Of the bytes that this access touched, it has those
 * around that one which no other has touched since. Any thread. */
dh_record dh_blend_part(dh_record r, unsigned bytes);

/* How many there are. */
uint32_t dh_blend_count(void);

#endif
