/* SPDX-License-Identifier: MIT */
/*
 * The rival: which of several earlier accesses a report names as the first of its
 * pair, and the grade that follows. For engines whose algorithm says only that a
 * variable is suspect: they offer every earlier access that they still remember, and
 * the best one stays.
 *
 *	struct dh_rival rival = {0};
 *	dh_rival_offer(&rival, t, a, ...);	for each remembered access
 *	struct dh_race race = dh_rival_race(&rival, t, a);
 *
 * Best is, in this order, and the most recent among equals:
 *   DH_RIVAL_UNORDERED  conflicts, and strong leaves the two unordered: `observed`
 *   DH_RIVAL_CONFLICT   conflicts: `potential`
 *   DH_RIVAL_OTHER      a read before a read: `potential`
 * Accesses of the same thread are no rivals.
 *
 * A filter may deliver an access late, after lock operations of its thread and after
 * accesses of others that it came before. Then `observed` is claimed only of what the
 * thread's present knowledge proves: of an access that came before, if it is still
 * unknown; of one that came after, which may have been ordered after this one, never.
 *
 * Context: as the engine's hooks. Allocates nothing.
 */
#ifndef DH_ENGINES_RIVAL_H
#define DH_ENGINES_RIVAL_H

#include "event/engine.h"

enum dh_rival_worth {
	DH_RIVAL_NONE,
	DH_RIVAL_OTHER,
	DH_RIVAL_CONFLICT,
	DH_RIVAL_UNORDERED,
};

struct dh_rival {
	enum dh_rival_worth worth;
	bool write;
	struct dh_mark mark;
};

/* Considers an earlier access. epoch is when it was; where strong is false the strong
 * relation is not kept, so it is not asked. */
DH_INLINE void dh_rival_offer(struct dh_rival *best, const struct dh_thread *t,
			      const struct dh_access *a, struct dh_mark mark, bool write,
			      dh_epoch epoch, bool strong)
{
	if (mark.thread == t->party.id)
		return;
	bool conflict = write || a->write;
	bool unordered = strong && mark.index < a->index &&
			 !dh_order_epoch_before(&t->party, DH_STRONG, epoch);
	enum dh_rival_worth worth = !conflict	? DH_RIVAL_OTHER
				    : unordered ? DH_RIVAL_UNORDERED
						: DH_RIVAL_CONFLICT;
	if (worth < best->worth ||
	    (worth == best->worth && mark.index < best->mark.index))
		return;
	*best = (struct dh_rival){worth, write, mark};
}

/* The race of this access with its rival; without a first where there is none. */
DH_INLINE struct dh_race dh_rival_race(const struct dh_rival *best,
				       const struct dh_thread *t,
				       const struct dh_access *a)
{
	return (struct dh_race){
		.var = a->var,
		.grade = best->worth == DH_RIVAL_UNORDERED ? DH_OBSERVED : DH_POTENTIAL,
		.has_first = best->worth != DH_RIVAL_NONE,
		.first_write = best->write,
		.second_write = a->write,
		.first = best->mark,
		.second = dh_access_mark(t, a),
	};
}

#endif
