/* SPDX-License-Identifier: MIT */
/*
 * The paper's own machine in the running program (option --racetrack): Figure 4 to the
 * letter, which forgets where ours keeps evidence, and the settings that the paper's
 * Table 2 compares.
 *
 *   paper      adaptive threadset and granularity: objects, then fields; of a heap block
 *              with more than 3 m fields the first, middle and last m = 128 of them
 *   threadset  fields from the start
 *   lockset    fields from the start, and locksets alone (Eraser's machine)
 *
 * A race that is reported names the earlier access if a diary has it, and is `observed`
 * only if that is one which the strong order leaves open.
 *
 * Threadsets that no word has any more are swept when a thread has joined the last of the
 * others, so that nobody can be using the table; there is a bound to their number, beyond
 * which a field starts again with one label (counted as a loss).
 *
 * Differences: the collector of the paper's system sweeps more often. Atomic accesses are
 * not tracked, nor is the end of memory judged.
 *
 * Context: hooks of the calling thread.
 */
#ifndef DH_RUNTIME_RACETRACK_FIGURE4_H
#define DH_RUNTIME_RACETRACK_FIGURE4_H

#include "runtime/racetrack/fields.h"

/* At start-up, where the option asks for one of these. */
void dh_rt_figure4_init(void);

/* A plain access that is not a repeat and is in the diary. */
void dh_rt_figure4_judge(struct dh_rt_access *a);

/* A word of this machine is about to be overwritten, or will not be stored. */
void dh_rt_figure4_drop(uint64_t word);

/* No other thread runs. */
void dh_rt_figure4_quiet(void);

/* Threadsets that there was no room for. */
uint64_t dh_rt_figure4_lost(void);

#endif
