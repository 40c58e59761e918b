/* SPDX-License-Identifier: MIT */
/*
 * The shadow stack of a thread: entering beyond its end, frames that were left without
 * notice, signal handlers on top of it, and the way from frames to sites. See thread.h.
 *
 * A program leaves functions without __tsan_func_exit() in several ways: longjmp(), an
 * exception that passes C code, jumps that the compiler makes itself, a switch to
 * another stack. Those that are interposed tell where they lead to
 * (dh_thread_left_below). What is left behind by the others stays until the room is
 * used up; then what cannot be any more is dropped: along one stack, each call has a
 * lower stack pointer than the one that it was made from. So the shadow stack is never
 * larger than the real one asks for.
 */
#include "base/mem.h"
#include "runtime/thread.h"

/* Is a on the far side of b, as seen from the outer end of the stack? Halves of stack
 * pointers, of one stack that is smaller than 2 GiB. */
static bool deeper(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* The frame that a signal handler has interrupted: what is below is not its own. */
static struct dh_frame *own_bottom(const struct dh_self *t)
{
	const struct dh_handler *h = t->state->handler;
	return t->state->frames + (h ? h->top - h->frames : 0);
}

/* ---- room ---- */

/* Drops what a call with this stack pointer shows to have been left. */
static void drop_left_behind(struct dh_self *t, uint32_t sp)
{
	struct dh_frame *bottom = own_bottom(t), *to = bottom;
	for (struct dh_frame *from = bottom + 1; from <= t->top; from++) {
		while (to > bottom && !deeper(from->sp, to->sp))
			to--;
		*++to = *from;
		if (to != from)
			to->node = 0; /* it was that of another path */
	}
	while (to > bottom && !deeper(sp, to->sp))
		to--;
	t->top = to;
}

/* An array that an interrupted function may have a pointer to stays. */
static void put_frames(struct dh_thread_state *s, struct dh_frame *frames, size_t room)
{
	if (!s->handler || s->handler->frames != frames)
		dh_mem_free(frames, room * sizeof *frames);
}

static void grow(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	size_t depth = (size_t)(t->top - s->frames), room = s->frame_room * 2;
	struct dh_frame *fresh = dh_mem_alloc(room * sizeof *fresh);
	dh_copy(fresh, s->frames, (depth + 1) * sizeof *fresh);
	put_frames(s, s->frames, s->frame_room);
	s->frames = fresh;
	s->frame_room = room;
	t->top = fresh + depth;
	t->limit = fresh + room;
}

DH_COLD void dh_thread_enter_slow(struct dh_self *t, uint64_t pc, uint32_t sp)
{
	if (!t->state && !(dh_thread_adopt && dh_thread_adopt(t)))
		return;
	dh_enter_runtime(t);
	drop_left_behind(t, sp);
	if ((size_t)(t->top - t->state->frames) >= t->state->frame_room / 2)
		grow(t);
	*++t->top = (struct dh_frame){.pc = pc, .sp = sp};
	dh_leave_runtime(t);
}

/* ---- signal handlers ---- */

static bool has_next(const struct dh_handler *h)
{
	return h->top + 1 < h->limit;
}

void dh_handler_begin(struct dh_self *t, struct dh_handler *h, uintptr_t interrupted_sp)
{
	struct dh_thread_state *s = t->state;
	*h = (struct dh_handler){.outer = s->handler,
				 .frames = s->frames,
				 .top = t->top,
				 .limit = t->limit,
				 .sp = interrupted_sp};
	if (has_next(h))
		h->next = h->top[1];
	t->tlb.fixed = true;
	s->handler = h;
}

void dh_handler_end(struct dh_self *t, struct dh_handler *h)
{
	struct dh_thread_state *s = t->state;
	dh_enter_runtime(t);
	if (s->frames != h->frames)
		dh_mem_free(s->frames, s->frame_room * sizeof *s->frames);
	s->frames = h->frames;
	s->frame_room = (size_t)(h->limit - h->frames);
	t->top = h->top;
	t->limit = h->limit;
	if (has_next(h))
		h->top[1] = h->next;
	s->handler = h->outer;
	t->tlb.fixed = h->outer != NULL;
	dh_leave_runtime(t);
}

void dh_handler_abandon(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	struct dh_handler *h = s->handler;
	t->top = s->frames + (h->top - h->frames);
	s->handler = h->outer;
	if (s->frames != h->frames)
		put_frames(s, h->frames, (size_t)(h->limit - h->frames));
	t->tlb.fixed = h->outer != NULL;
}

/* ---- frames left ---- */

DH_NOINLINE void dh_thread_left_below(struct dh_self *t, uintptr_t sp)
{
	struct dh_thread_state *s = t->state;
	uintptr_t low = (uintptr_t)__builtin_frame_address(0);
	if (!s)
		return;
	dh_enter_runtime(t);
	/* A handler is still running if sp lies between it and the end of its stack. */
	while (s->handler && !(low <= sp && sp < (uintptr_t)s->handler)) {
		low = s->handler->sp;
		dh_handler_abandon(t);
	}
	struct dh_frame *bottom = own_bottom(t);
	while (t->top > bottom && deeper(t->top->sp, (uint32_t)sp))
		t->top--;
	dh_leave_runtime(t);
}

/* ---- sites ---- */

/* The context node of the innermost frame: from the nearest frame outward that has
 * one, inward. Each call is looked up at most once. */
static uint32_t node_of_top(struct dh_self *t)
{
	struct dh_frame *f = t->top;
	while (!f->node)
		f--;
	uint32_t node = f->node;
	while (f < t->top) {
		f++;
		f->node = node = dh_context_enter(dh_contexts, node, f->pc);
	}
	return node;
}

uint32_t dh_thread_site(struct dh_self *t, uint64_t pc)
{
	uint32_t node = node_of_top(t);
	struct dh_site_entry *e = dh_site_entry_of(t, node, pc);
	if (DH_LIKELY(e->pc == pc && e->node == node))
		return e->site;
	uint32_t site = dh_site_make(dh_contexts, node, pc);
	if (!t->state->handler)
		*e = (struct dh_site_entry){pc, node, site};
	return site;
}
