/* SPDX-License-Identifier: MIT */
/*
 * What the filters know of one variable: its generation, which alloc raises, and as
 * much of RaceTrack's Figure 2 as tells whether an access can change C_x, the locks
 * that guard x.
 *
 * Figure 2 forgets. While one thread is alone with x, each access replaces C_x by its
 * own locks; so an access under the same locks as an earlier one of the same frame is
 * redundant as far as pairs go, and yet brings C_x back to what it was. A filter that
 * drops it must know when that is without consequence, else racetrack-basic and
 * patent would miss x, or find it later.
 *
 * Invariants, of S_x and C_x as they would be if nothing had been dropped:
 *   - C_x is within `bound`;
 *   - `last`, the label of the last access, is in S_x; so is `other` where it is not
 *     DH_EPOCH_NONE, and its thread is another one: then x is surely shared;
 *   - `settled`: Figure 2 has reported x, which it does once; nothing matters any more.
 * Two labels are a poor man's S_x. Where they do not tell, x counts as owned, and
 * `bound` starts over: too large a bound lets more accesses pass, never fewer.
 *
 * Used by tree.c (span.c needs the generation alone). Allocates nothing.
 */
#ifndef DH_FILTERS_GUARD_H
#define DH_FILTERS_GUARD_H

#include "event/engine.h"

struct dh_guard {
	dh_epoch last;
	dh_epoch other;
	uint32_t generation;
	uint32_t thread;  /* of the last access: its id + 1; 0: no access yet */
	dh_lockset locks; /* of the last access */
	dh_lockset shown; /* of the last access that the engines got */
	dh_lockset bound;
	uint32_t waiting : 31; /* the last access, held back (tree.c), or 0 */
	uint32_t settled : 1;
};

/* May a repeat by t (an access like an earlier one of the same frame of t) be dropped
 * without a look at the rest, because it is like the last access? */
DH_INLINE bool dh_guard_idle(const struct dh_guard *g, const struct dh_thread *t,
			     const struct dh_access *a)
{
	return g->settled || (g->thread == t->party.id + 1 && g->locks == a->locks);
}

enum dh_guard_verdict {
	DH_GUARD_DROP, /* leaves C_x as it is */
	DH_GUARD_WAIT, /* sets C_x if x is owned, and the next access may undo that */
	DH_GUARD_PASS, /* may change C_x */
};

/* What a repeat by t does. */
enum dh_guard_verdict dh_guard_judge(const struct dh_guard *g, struct dh_lockset_table *s,
				     const struct dh_thread *t,
				     const struct dh_access *a);

/* There is an access waiting, and a comes next: does it make a difference to C_x
 * whether the waiting one was delivered? */
bool dh_guard_matters(const struct dh_guard *g, struct dh_lockset_table *s,
		      const struct dh_thread *t, const struct dh_access *a);

/* Takes note of an access; passed: the engines get it now. */
void dh_guard_note(struct dh_guard *g, struct dh_lockset_table *s,
		   const struct dh_thread *t, const struct dh_access *a, bool passed);

/* The variable starts over. */
void dh_guard_reset(struct dh_guard *g);

#endif
