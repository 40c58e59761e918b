/* SPDX-License-Identifier: MIT */
/* See resume.h. */
#include "runtime/resume.h"

/* How often a frame is gone back to. The log of locks has to remember how it began. */
enum { TIMES = 1024 };

void dh_resume_note(struct dh_self *t, const struct dh_sync *s, uint32_t changes,
		    uint64_t ended)
{
	struct dh_resume *r = &t->state->resume;
	const uint32_t left = r->frame == ended ? r->left : TIMES;
	if (dh_observer || !left || t->state->in_lane || t->state->common ||
	    t->epoch == ended || (t->epoch ^ ended) >> DH_SLOT_SHIFT)
		return;
	*r = (struct dh_resume){.next = t->epoch,
				.frame = ended,
				.lock = s->addr,
				.object = s,
				.changes = changes,
				.held = t->state->held_count - 1,
				.left = left - 1};
}

/* Is all as the thread has left it? */
static bool can_go_back(const struct dh_self *t, const struct dh_resume *r)
{
	const struct dh_sync *s = r->object;
	return t->epoch == r->next &&
	       __atomic_load_n(&s->addr, __ATOMIC_RELAXED) == r->lock &&
	       __atomic_load_n(&s->changes, __ATOMIC_RELAXED) == r->changes &&
	       t->state->held_count == r->held &&
	       !__atomic_load_n(&dh_slots_vague, __ATOMIC_RELAXED);
}

bool dh_resume_at(struct dh_self *t, bool write, uint64_t pc)
{
	struct dh_resume *r = &t->state->resume;
	dh_enter_runtime(t);
	bool can = can_go_back(t, r);
	if (can) {
		t->epoch = r->back = r->frame;
		t->dirty |= DH_DIRTY_RECORD; /* its next end has to be seen, too */
		dh_thread_look(t);
		dh_held_again(t, r->lock, write, pc);
	}
	dh_leave_runtime(t);
	return can;
}
