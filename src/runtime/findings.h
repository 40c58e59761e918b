/* SPDX-License-Identifier: MIT */
/*
 * Which finding a race belongs to. With the option `findings` by variable, a finding is
 * what races on one variable: later races on it add the places that are not in it yet
 * (RaceTrack section 3.6), and are no findings of their own. By pair, each race is one.
 *
 * What is one variable: the same bytes of the same granule of a global; in heap blocks
 * the same bytes at the same offset of blocks that were allocated at the same place, with
 * the same size; of other memory, whose use nobody tells us of (stacks, mappings, large
 * blocks that are cut up by the program), the same bytes where a place is the same too.
 * Races with a free are told apart from others, and so are those that do not count; a
 * race that is surer than the finding is another one.
 *
 * Concurrency: any thread, under the lock of report.c, but for the numbers. Allocates.
 */
#ifndef DH_RUNTIME_FINDINGS_H
#define DH_RUNTIME_FINDINGS_H

#include "runtime/report.h"

enum { DH_FINDING_PLACES = 32 }; /* that one has at most */

/* Is a finding a variable, by the options? */
bool dh_findings_by_variable(void);

/* What the race is; gives it its serial, or that of its finding. All facts are there. */
enum dh_race_part dh_findings_place(struct dh_race_facts *f);

/* Findings of this process, and those of them whose grade counts (option fail-on). */
uint64_t dh_findings_distinct(void);
uint64_t dh_findings_counting(void);

/* Places that were left out because their finding had enough. */
uint64_t dh_findings_left_out(void);

/* After a fork, in the child: nothing was found yet. */
void dh_findings_forget(void);

#endif
