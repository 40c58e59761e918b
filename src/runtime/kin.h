/* SPDX-License-Identifier: MIT */
/*
 * Reads of other tasks that stand for a task's own (openmp/family.h says whose, and why):
 * time frames, by their slots. What such a task has read, as its record in a cell says,
 * needs no record of this one.
 *
 * Context: written by any thread, looked at by the tasks concerned at their reads.
 */
#ifndef DH_RUNTIME_KIN_H
#define DH_RUNTIME_KIN_H

#include "runtime/record.h"

/* A task in a place that its slot gives: the epoch of its first time frame and, where a
 * record has bytes and site, how many frames follow it. 0: none. In one word, so that it
 * is seen as a whole. */
enum { DH_KIN_PLACES = 16 };
struct dh_kin {
	uint64_t at[DH_KIN_PLACES]; /* atomic */
};

DH_INLINE unsigned dh_kin_place(uint64_t epoch)
{
	return (unsigned)(epoch >> DH_SLOT_SHIFT) % DH_KIN_PLACES;
}

/* Is it a plain read by one of them, of all bytes of the mask? kin may be NULL. */
DH_INLINE bool dh_kin_has(const struct dh_kin *kin, dh_record r, unsigned mask)
{
	const uint64_t frames = ((uint64_t)1 << DH_CLOCK_SHIFT) - 1;
	if (!kin)
		return false;
	uint64_t e = __atomic_load_n(&kin->at[dh_kin_place(r)], __ATOMIC_RELAXED);
	return (r >> DH_CLOCK_SHIFT) - (e >> DH_CLOCK_SHIFT) <= (e & frames) &&
	       !(r & (DH_ATOMIC_FLAG | (uint64_t)mask << DH_ABSENT_SHIFT));
}

#endif
