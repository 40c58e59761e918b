/* SPDX-License-Identifier: MIT */
/*
 * Pairs of places in the program, of which one has used a line of large memory and the
 * other comes to it, with a lock alone in between; and how many lines have been refined
 * for that. A buffer that is handed on, or the pages of an allocator of the program's own,
 * have thousands of lines which all tell the same: DH_RT_MEETINGS of them are enough.
 *
 * A table that forgets: where two pairs meet in it, the older begins anew, and more lines
 * are refined than need be.
 *
 * Concurrency: any thread; counts may lose a few. No allocation.
 */
#ifndef DH_RUNTIME_RACETRACK_MEETINGS_H
#define DH_RUNTIME_RACETRACK_MEETINGS_H

#include "base/base.h"

enum { DH_RT_MEETINGS = 8 };

/* Notes one more of these two sites, neither of them 0. True where there were enough. */
bool dh_rt_meetings_enough(uint32_t first, uint32_t second);

#endif
