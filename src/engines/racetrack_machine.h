/* SPDX-License-Identifier: MIT */
/*
 * RaceTrack's adaptive machine (Figure 4): from the state of a variable, or of an
 * object, and an access to the next state. Engine `racetrack` runs it on objects and
 * on fields; who is told about a race is the engine's matter.
 *
 * The states are words as in racetrack_state.h. A state may hold a reference to a
 * threadset of the machine's table, so it is dropped with dh_racetrack_forget().
 *
 * Context: one access at a time, as the engine's hooks. The update of the words has
 * the shape of a compare-and-swap loop; the tables are made for concurrent look-up,
 * the counters and frames are not. Allocates.
 */
#ifndef DH_ENGINES_RACETRACK_MACHINE_H
#define DH_ENGINES_RACETRACK_MACHINE_H

#include "base/vec.h"
#include "engines/racetrack_state.h"
#include "event/engine.h"
#include "lockset/threadset.h"

/* The label of a thread in its current weak time frame. */
struct dh_racetrack_frame {
	uint32_t published; /* of the weak relation when the frame was first seen */
	uint32_t slot;
	uint32_t clock; /* 0: not seen yet */
};

struct dh_racetrack_machine {
	struct dh_lockset_table *locksets; /* the stream's */
	struct dh_threadset_table *threadsets;
	struct dh_vec(struct dh_racetrack_frame) frames; /* by thread id */
	struct dh_vec(struct dh_label) scratch;		 /* a threadset in the making */
	uint32_t info_limit; /* the largest number that word 1 takes; tests lower it */
	uint64_t in_state[DH_RACETRACK_STATES]; /* accesses, by the state they found */
	uint64_t unchanged;	 /* accesses that left both words as they were */
	uint64_t low_accuracy;	 /* section 2.4.3: the lockset alone would have warned */
	uint64_t table_overflow; /* numbers that did not fit word 1 */
	uint64_t threadsets_inserted; /* as the table counts them */
	uint64_t threadsets_reclaimed;
};

void dh_racetrack_machine_init(struct dh_racetrack_machine *m,
			       struct dh_lockset_table *locksets);
void dh_racetrack_machine_free(struct dh_racetrack_machine *m);

/* Every thread is made known before its first access. */
void dh_racetrack_machine_start(struct dh_racetrack_machine *m,
				const struct dh_thread *t);

/* Moves *words on by an access of t. True where this access, and no earlier one, has
 * led to Report-Race. */
bool dh_racetrack_advance(struct dh_racetrack_machine *m, dh_racetrack_words *words,
			  const struct dh_thread *t, const struct dh_access *a);

/* *words becomes Virgin; what they referred to is given back. */
void dh_racetrack_forget(struct dh_racetrack_machine *m, dh_racetrack_words *words);

#endif
