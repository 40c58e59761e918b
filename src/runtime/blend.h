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

#include "runtime/thread.h"

enum {
	DH_BLENDS_MAX = 1 << 18,
	DH_BLEND_FIRST = DH_RECORD_SITE_MAX + 1 - DH_BLENDS_MAX,
	DH_BLEND_MEMO = 8192, /* entries of the per-thread cache */
};

/* Two records, as below, and the site of their blend. */
struct dh_blend_memo {
	uint64_t key;
	uint32_t site;
};

/* What a thread has for a memo that has noted nothing yet. */
extern struct dh_blend_memo dh_no_blends[DH_BLEND_MEMO];

/* Can the two be one? Plain, of one time frame. Not tags. Where one may have elders
 * (elders.h), that is the first. */
DH_INLINE bool dh_blends(dh_record a, dh_record b)
{
	return !((a ^ b) >> DH_CLOCK_SHIFT) && !((a | b) & DH_ATOMIC_FLAG);
}

DH_INLINE uint64_t dh_blend_key(dh_record old, dh_record rec)
{
	const uint64_t part = ((uint64_t)1 << DH_ATOMIC_SHIFT) - 1; /* bytes and site */
	return (old & part & ~DH_ELDERS_FLAG) << DH_ATOMIC_SHIFT | (rec & part);
}

DH_INLINE struct dh_blend_memo *dh_blend_memo_of(const struct dh_self *t, uint64_t key)
{
	return &t->state->blends[(key * 0x9e3779b97f4a7c15ull >> 40) % DH_BLEND_MEMO];
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
	uint64_t key = dh_blend_key(old, rec);
	const struct dh_blend_memo *m = dh_blend_memo_of(t, key);
	uint32_t site = m->site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return m->key == key ? dh_blended(old, rec, site) : 0;
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
