/* SPDX-License-Identifier: MIT */
/*
 * The state of an object, or of a field, in the engine `racetrack` of the running
 * program: one 64-bit word, the paper's two words of 32 bits, replaced by one
 * compare-and-swap. Zero is Virgin.
 *
 *   63      53 52       31 30        7  6    5     4     3   2     0
 *   [ slot 11 ][ clock 22 ][ info 24  ][direct][mixed][known][wrote][state]
 *
 *   state    paper                  label (slot, clock)       info
 *   VIRGIN   Virgin
 *   OWNED    Exclusive0, 1 and 2    the owner's last access   locks held at it
 *   LOCKED   Shared-Read, -Modify1  the last write, or what   C_x, a lockset
 *                                   all since follow
 *   READ     Shared-Read            what all readers follow   readers: a bit for each
 *   FREED    -                      the free                  its site
 *   BUSY     being refined, for microseconds; label and info as before
 *   FINE     Report-Race of an object: judged by its fields; slot to info are where
 *            their state is (aside.h), a multiple of 8 in units of 8
 *   TOLD     Report-Race of a field   who was told last         how many more were told
 *
 * Slot and clock are where records have them (record.h), so that a word can be compared
 * with the epoch of a thread as it is. `wrote`: there was a write since it was Virgin or
 * changed hands. `known`: it is not with its first owner any more, or no heap block, so
 * that others may have known of it from the start. `mixed`, of a field: its bytes are not
 * used as one, so that who used some of them last says nothing of the others. `direct`,
 * of an object that is FINE: there were accesses that its fields do not tell of
 * (direct.h).
 *
 * Plain arithmetic: any context.
 */
#ifndef DH_RUNTIME_RACETRACK_WORDS_H
#define DH_RUNTIME_RACETRACK_WORDS_H

#include "runtime/record.h"

typedef uint64_t dh_rt_word;

enum dh_rt_state {
	DH_RT_VIRGIN,
	DH_RT_OWNED,
	DH_RT_LOCKED,
	DH_RT_READ,
	DH_RT_FREED,
	DH_RT_BUSY,
	DH_RT_FINE,
	DH_RT_TOLD,
};

enum {
	DH_RT_WROTE = 1 << 3,
	DH_RT_KNOWN = 1 << 4,
	DH_RT_MIXED = 1 << 5,
	DH_RT_DIRECT = 1 << 6,
	DH_RT_MORE =
	    2, /* threads whose accesses to a field are told after the first race */
	DH_RT_INFO_SHIFT = 7,
	DH_RT_INFO_BITS = DH_CLOCK_SHIFT - DH_RT_INFO_SHIFT,
	DH_RT_INFO_MAX = (1 << DH_RT_INFO_BITS) - 1,
};
_Static_assert(DH_RT_INFO_BITS == 24, "the layout above");
_Static_assert(DH_RT_INFO_MAX >= DH_RECORD_SITE_MAX + 0, "a site fits");

/* epoch: slot and clock in place, nothing else. flags: DH_RT_WROTE, DH_RT_KNOWN. */
DH_INLINE dh_rt_word dh_rt_make(enum dh_rt_state state, uint64_t epoch, uint32_t info,
				unsigned flags)
{
	return epoch | (uint64_t)info << DH_RT_INFO_SHIFT | flags | state;
}

DH_INLINE enum dh_rt_state dh_rt_state(dh_rt_word w)
{
	return (enum dh_rt_state)(w & 7);
}

DH_INLINE uint32_t dh_rt_info(dh_rt_word w)
{
	return (uint32_t)(w >> DH_RT_INFO_SHIFT) & DH_RT_INFO_MAX;
}

DH_INLINE unsigned dh_rt_flags(dh_rt_word w)
{
	return (unsigned)w & (DH_RT_WROTE | DH_RT_KNOWN | DH_RT_MIXED);
}

/* Slot and clock, in place. */
DH_INLINE uint64_t dh_rt_label(dh_rt_word w)
{
	return w >> DH_CLOCK_SHIFT << DH_CLOCK_SHIFT;
}

/* A refined object, and where the state of its fields is. */
DH_INLINE dh_rt_word dh_rt_fine(uintptr_t aside)
{
	return (dh_rt_word)(aside >> 3) << DH_RT_INFO_SHIFT | DH_RT_FINE;
}

DH_INLINE uintptr_t dh_rt_aside(dh_rt_word w)
{
	return (uintptr_t)(w >> DH_RT_INFO_SHIFT) << 3;
}

/* Does a clock have the label? So it has that of a word without one. */
DH_INLINE bool dh_rt_before(const uint32_t *clock, dh_rt_word w)
{
	return dh_record_clock(w) <= clock[dh_record_slot(w)];
}

/* Replaces one word by another; false where it has changed meanwhile. */
DH_INLINE bool dh_rt_swap(dh_rt_word *place, dh_rt_word old, dh_rt_word to)
{
	return __atomic_compare_exchange_n(place, &old, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

#endif
