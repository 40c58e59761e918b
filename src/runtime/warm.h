/* SPDX-License-Identifier: MIT */
/*
 * Pages of shadow that are about to be used. An access looks at its cell before it stores
 * anything there. To a page that has not been used the kernel answers the look with its
 * page of zeros, and has to take that back from all processors at the store: two faults
 * and an interrupt of the others for each page. So who is about to put the first record
 * into an empty cell writes to the pages around it, before anybody looks at them.
 *
 * What has been done lately is remembered in a small table. What that has forgotten, or
 * what was given back to the kernel since, costs a few writes or faults, nothing else.
 */
#ifndef DH_RUNTIME_WARM_H
#define DH_RUNTIME_WARM_H

#include "runtime/shadow.h"

enum {
	DH_WARM_SHIFT = 15, /* bytes of shadow at a time, as a shift */
	DH_WARM_ROOM = 1 << 12,
};

/* The numbers of such stretches, each at its remainder. */
extern DH_HOT_VISIBLE uint32_t dh_warm[DH_WARM_ROOM] DH_SHARED("warm"); /* atomic */

/* Makes the pages around the cell. */
DH_HOT_VISIBLE void dh_warm_up(const struct dh_cell *c) DH_SHARED("warm_up");

/* Whole pages of cells were given back. */
void dh_warm_forget(uintptr_t from, uintptr_t to);

/* Have they been made, as far as is known? */
DH_INLINE bool dh_warm_has(const struct dh_cell *c)
{
	uint32_t stretch = (uint32_t)((uintptr_t)c >> DH_WARM_SHIFT);
	return __atomic_load_n(&dh_warm[stretch % DH_WARM_ROOM], __ATOMIC_RELAXED) ==
	       stretch;
}

/* The cell, of a granule, is empty, and about to get a record. (Those of parts have been
 * written to before.) */
DH_INLINE void dh_warm_expect(const struct dh_cell *c)
{
	if (DH_UNLIKELY(!dh_warm_has(c)))
		dh_warm_up(c);
}

#endif
