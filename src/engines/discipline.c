/* SPDX-License-Identifier: MIT */
/*
 * The state diagram of MultiRace's LockSet; see discipline.h.
 *
 * First accesses only (section 4.2): within a time frame the set of locks held can
 * only grow, so a second access refines nothing. The paper overlooks Initializing,
 * where the first access does not refine: T1 writes; T2 writes under L, and C = {L};
 * T1 writes again in the same time frame, without L. Logging first accesses only
 * would pass over the last one and its warning. Here an access counts as a repeat
 * only if the earlier one did refine C(v).
 */
#include "engines/discipline.h"

dh_lockset dh_discipline_locks(struct dh_lockset_table *table, const struct dh_access *a)
{
	return a->write ? a->locks : dh_lockset_add(table, a->locks, DH_READERS_LOCK);
}

static void refine(struct dh_discipline *d, struct dh_lockset_table *table,
		   const struct dh_thread *t, const struct dh_access *a,
		   const struct dh_discipline_clock *now)
{
	dh_lockset lh = dh_discipline_locks(table, a);
	d->candidates = dh_lockset_intersect(table, d->candidates, lh);
	d->refined_by = t->party.id;
	d->refined_when = now->frame;
	d->refined_write = a->write;
}

static bool is_repeat(const struct dh_discipline *d, const struct dh_thread *t,
		      const struct dh_access *a, const struct dh_discipline_clock *now)
{
	return now->frame && d->refined_when == now->frame &&
	       d->refined_by == t->party.id && (d->refined_write || !a->write);
}

static void start_over(struct dh_discipline *d, enum dh_discipline_state state)
{
	d->state = (uint8_t)state;
	d->candidates = DH_LOCKSET_ALL;
	d->refined_when = 0;
}

/* Into Shared, or Empty where no candidate is left; true for the first warning. */
static bool share(struct dh_discipline *d)
{
	d->state = d->candidates == DH_LOCKSET_EMPTY ? DH_EMPTY : DH_SHARED;
	bool warn = d->state == DH_EMPTY && !d->warned;
	d->warned |= warn;
	return warn;
}

void dh_discipline_settle(struct dh_discipline *d, const struct dh_discipline_clock *now)
{
	if (DH_LIKELY(d->episodes == now->episodes))
		return;
	d->episodes = now->episodes;
	if (d->state != DH_VIRGIN)
		start_over(d, DH_CLEAN);
}

bool dh_discipline_access(struct dh_discipline *d, struct dh_lockset_table *table,
			  const struct dh_thread *t, const struct dh_access *a,
			  const struct dh_discipline_clock *now)
{
	dh_discipline_settle(d, now);
	switch ((enum dh_discipline_state)d->state) {
	case DH_VIRGIN:
		start_over(d, DH_INITIALIZING);
		d->owner = t->party.id;
		return false;
	case DH_INITIALIZING:
		if (d->owner == t->party.id)
			return false;
		refine(d, table, t, a, now);
		return share(d);
	case DH_CLEAN:
		d->state = DH_EXCLUSIVE;
		d->owner = t->party.id;
		refine(d, table, t, a, now);
		return false;
	case DH_EXCLUSIVE:
		if (is_repeat(d, t, a, now))
			return false;
		refine(d, table, t, a, now);
		return d->owner != t->party.id && share(d);
	case DH_SHARED:
		if (is_repeat(d, t, a, now))
			return false;
		refine(d, table, t, a, now);
		return share(d);
	case DH_EMPTY:
	case DH_DISCIPLINE_STATES:
		break;
	}
	return false;
}
