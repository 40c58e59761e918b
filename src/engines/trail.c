/* SPDX-License-Identifier: MIT */
/* Remembering the last accesses of two threads; see trail.h. */
#include "engines/trail.h"
#include "engines/rival.h"

static bool is_of(const struct dh_trail_step steps[2], uint32_t thread)
{
	return (steps[0].epoch && steps[0].mark.thread == thread) ||
	       (steps[1].epoch && steps[1].mark.thread == thread);
}

/* Brings the thread's steps to the front; they are empty where it has none. */
static DH_NOINLINE void bring_forward(struct dh_trail *trail, uint32_t thread)
{
	struct dh_trail_step former[2];
	dh_copy(former, trail->steps[1], sizeof former);
	dh_copy(trail->steps[1], trail->steps[0], sizeof former);
	if (is_of(former, thread))
		dh_copy(trail->steps[0], former, sizeof former);
	else
		dh_zero(trail->steps[0], sizeof former);
}

void dh_trail_note(struct dh_trail *trail, const struct dh_thread *t,
		   const struct dh_access *a)
{
	if (DH_UNLIKELY(!is_of(trail->steps[0], t->party.id)))
		bring_forward(trail, t->party.id);
	struct dh_trail_step *s = &trail->steps[0][a->write];
	if (DH_UNLIKELY(a->index < s->mark.index)) /* delivered late by a filter */
		return;
	s->epoch = dh_access_epoch(t, a);
	s->mark = dh_access_mark(t, a);
}

struct dh_race dh_trail_open(const struct dh_trail *trail, const struct dh_thread *t,
			     const struct dh_access *a, bool strong)
{
	struct dh_rival rival = {0};
	for (unsigned i = 0; i < 4; i++) {
		const struct dh_trail_step *s = &trail->steps[i / 2][i % 2];
		if (s->epoch && (a->write || i % 2) &&
		    !dh_order_epoch_before(&t->party, DH_WEAK, s->epoch))
			dh_rival_offer(&rival, t, a, s->mark, i % 2, s->epoch, strong);
	}
	return dh_rival_race(&rival, t, a);
}

struct dh_race dh_trail_race(const struct dh_trail *trail, const struct dh_thread *t,
			     const struct dh_access *a, bool strong)
{
	struct dh_rival rival = {0};
	for (unsigned i = 0; i < 4; i++) {
		const struct dh_trail_step *s = &trail->steps[i / 2][i % 2];
		if (s->epoch)
			dh_rival_offer(&rival, t, a, s->mark, i % 2, s->epoch, strong);
	}
	return dh_rival_race(&rival, t, a);
}
