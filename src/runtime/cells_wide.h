/* SPDX-License-Identifier: MIT */
/*
 * What cells.h does most, looking for repeats, by vectors of 32 bytes, where the
 * processor has such. Half as many loads and a third of the instructions.
 *
 * Not for what inline assembly tells, between which and the program nobody keeps the
 * upper halves (vectors.h): its accesses are atomic ones, which do not come here.
 */
#ifndef DH_RUNTIME_CELLS_WIDE_H
#define DH_RUNTIME_CELLS_WIDE_H

#include "runtime/shadow.h"

/* Whether it has; false until dh_cells_choose(). */
extern bool dh_cells_wide;

/* Finds out. At start-up. */
void dh_cells_choose(void);

/* dh_cells_repeat() */
size_t dh_cells_repeat_wide(const struct dh_cell *c, size_t count, uint64_t key,
			    bool either);

#endif
