/* SPDX-License-Identifier: MIT */
/*
 * The trail of a variable: its last read and last write by each of the two threads
 * that accessed it last. For the engines whose own state says that a variable is
 * suspect, but not which earlier access to name: they keep a trail in the cell,
 * note every access in it after they have judged it, and ask it for the other half
 * of a report before they note the reporting one.
 *
 * Two threads are enough to have one that is not the accessing one, whichever that
 * is. What a third thread did longer ago is forgotten: a trail may therefore miss
 * an unordered access, and grade `potential` what a full history would grade
 * `observed`; never the reverse, because what it names it has seen.
 *
 * Zero-initialised is empty; zero it to forget. Allocates nothing.
 * Context: as the engine's hooks, one event at a time.
 */
#ifndef DH_ENGINES_TRAIL_H
#define DH_ENGINES_TRAIL_H

#include "event/engine.h"

struct dh_trail_step {
	dh_epoch epoch; /* DH_EPOCH_NONE: no such access */
	struct dh_mark mark;
};

struct dh_trail {
	/* [0] is the thread of the most recent access, [1] the one before it; in each,
	 * [0] is its last read and [1] its last write. */
	struct dh_trail_step steps[2][2];
};
_Static_assert(sizeof(struct dh_trail) == 96, "trails fill the cells of big traces");

/* Remembers the access. Only this and zeroing change a trail. */
void dh_trail_note(struct dh_trail *trail, const struct dh_thread *t,
		   const struct dh_access *a);

/* The race of this access with the best rival on the trail (rival.h), ready to
 * report; without a first where the trail has no other thread. Where strong is false
 * the strong relation is not asked, and the grade is DH_POTENTIAL. */
struct dh_race dh_trail_race(const struct dh_trail *trail, const struct dh_thread *t,
			     const struct dh_access *a, bool strong);

/* The same with the best of those rivals alone that conflict and that the weak relation
 * leaves open; without a first where there is none. */
struct dh_race dh_trail_open(const struct dh_trail *trail, const struct dh_thread *t,
			     const struct dh_access *a, bool strong);

#endif
