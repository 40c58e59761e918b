/* SPDX-License-Identifier: MIT */
/*
 * The rules of guard.h. "Known" is: ordered before the thread's next step by weak.
 *
 * Lemma 1. Let e be an access to x by t, and let t neither publish nor learn in weak
 * until now (a frame). Then t's label has been in S_x ever since, for nobody else can
 * know it; and t knows no label that was added since, for its owner had not published
 * it when t last learned. So once another thread's label is in S_x during the frame,
 * x stays shared for the rest of it, and C_x only shrinks.
 *
 * Lemma 2 (repeats). Let e' repeat e in the frame: same thread, same locks L. S_x is
 * the same with and without e', by lemma 1 (labels of one weak frame are known by the
 * same threads). For C_x:
 *   - Shared now: C_x becomes C_x meet L. That is no change if bound is within L.
 *   - Owned now, and x was in fact shared before e: C_x has been within L since e.
 *   - Owned now and in fact: only t has accessed x since e, and C_x becomes L. No
 *     change if the last access had the locks L. Else e' waits: the engines' C_x is
 *     `shown` while it should be L. The next access a makes up for it by itself if it
 *     leaves x owned (C_x becomes a's locks); and if it makes x shared, the two come
 *     to the same if L and `shown` have the same locks in common with a's.
 */
#include "filters/guard.h"

static bool knows(const struct dh_thread *t, dh_epoch label)
{
	return dh_order_epoch_before(&t->party, DH_WEAK, label);
}

static bool is_within(struct dh_lockset_table *s, dh_lockset a, dh_lockset b)
{
	return a == b || dh_lockset_intersect(s, a, b) == a;
}

enum dh_guard_verdict dh_guard_judge(const struct dh_guard *g, struct dh_lockset_table *s,
				     const struct dh_thread *t, const struct dh_access *a)
{
	if (dh_guard_idle(g, t, a))
		return DH_GUARD_DROP;
	bool owned = g->thread == t->party.id + 1 && g->other == DH_EPOCH_NONE;
	if (owned)
		return a->locks == g->shown ? DH_GUARD_DROP : DH_GUARD_WAIT;
	return is_within(s, g->bound, a->locks) ? DH_GUARD_DROP : DH_GUARD_PASS;
}

bool dh_guard_matters(const struct dh_guard *g, struct dh_lockset_table *s,
		      const struct dh_thread *t, const struct dh_access *a)
{
	if (g->thread == t->party.id + 1 || knows(t, g->last))
		return false;
	return dh_lockset_intersect(s, g->locks, a->locks) !=
	       dh_lockset_intersect(s, g->shown, a->locks);
}

void dh_guard_note(struct dh_guard *g, struct dh_lockset_table *s,
		   const struct dh_thread *t, const struct dh_access *a, bool passed)
{
	if (g->settled)
		return;
	dh_epoch unknown = DH_EPOCH_NONE;
	if (!knows(t, g->last))
		unknown = g->last;
	else if (g->other != DH_EPOCH_NONE && !knows(t, g->other))
		unknown = g->other;
	if (unknown == DH_EPOCH_NONE)
		g->bound = a->locks;
	else if (g->bound != a->locks)
		g->bound = dh_lockset_intersect(s, g->bound, a->locks);
	g->settled = unknown != DH_EPOCH_NONE && g->bound == DH_LOCKSET_EMPTY;
	g->other = unknown;
	g->last = dh_access_epoch(t, a);
	g->thread = t->party.id + 1;
	g->locks = a->locks;
	if (passed)
		g->shown = a->locks;
}

void dh_guard_reset(struct dh_guard *g)
{
	*g = (struct dh_guard){.generation = g->generation + 1};
}
