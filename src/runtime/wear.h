/* SPDX-License-Identifier: MIT */
/*
 * Granules whose bytes are written in ever new time frames, each beside what was written
 * before. Every such write wants a set of writes that nothing else has (writers.c), some
 * two thousand instructions, and sets stay for good. What is written so again and again is
 * better off with cells of its bytes; what is written so once or twice, as a field of each
 * of a million nodes, is not. So there is a count of the sets that were looked for on
 * behalf of a granule.
 *
 * The counts are in a small table, where one that is wanted for another granule goes down
 * first. They are no more than a hint: what is lost or mixed up costs time alone.
 *
 * Concurrency: any number of threads, at any time.
 */
#ifndef DH_RUNTIME_WEAR_H
#define DH_RUNTIME_WEAR_H

#include "base/base.h"

/* So many are enough: 8 cost zstd memory for nothing in time, 48 left sqlite half of the
 * gain. Tests also do with more than are counted. */
#ifndef DH_WORN
#define DH_WORN 16
#endif

/* One more is wanted for the granule. Have there been so many already? */
bool dh_wear(uintptr_t granule);

#endif
