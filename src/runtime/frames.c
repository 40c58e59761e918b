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
#include "runtime/observer.h"
#include "runtime/thread.h"

/* Is a on the far side of b, as seen from the outer end of the stack? Halves of stack
 * pointers, of one stack that is smaller than 2 GiB. */
static bool deeper(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* The innermost signal handler that runs, or NULL. */
static struct dh_handler *innermost(struct dh_thread_state *s)
{
	return s->handler_count ? &s->handlers[s->handler_count - 1] : NULL;
}

/* The frame that a signal handler has interrupted: what is below is not its own. */
static struct dh_frame *own_bottom(const struct dh_self *t)
{
	const struct dh_handler *h = innermost(t->state);
	struct dh_frame *bottom = t->state->frames + (h ? h->depth : 0);
	return DH_MIN(bottom, t->top);
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
	for (uint32_t i = 0; i < s->handler_count; i++)
		if (s->handlers[i].frames == frames)
			return;
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

void dh_thread_on_entry(struct dh_self *t, void (*call)(struct dh_self *t))
{
	struct dh_thread_state *s = t->state;
	dh_enter_runtime(t);
	s->on_entry = call;
	t->limit = call ? t->top + 1 : s->frames + s->frame_room;
	dh_leave_runtime(t);
}

/* Entries come by the slow path for this. */
static void call_on_entry(struct dh_self *t)
{
	void (*call)(struct dh_self *) = t->state->on_entry;
	if (t->state->handler_count)
		return;
	dh_thread_on_entry(t, NULL);
	call(t);
}

DH_COLD void dh_thread_enter_slow(struct dh_self *t, uint64_t pc, uint32_t sp)
{
	if (!t->state && !(dh_thread_adopt && dh_thread_adopt(t)))
		return;
	if (DH_UNLIKELY(t->state->on_entry != NULL) && !t->inside)
		call_on_entry(t);
	dh_enter_runtime(t);
	drop_left_behind(t, sp);
	if ((size_t)(t->top - t->state->frames) >= t->state->frame_room / 2)
		grow(t);
	*++t->top = (struct dh_frame){.pc = pc, .sp = sp};
	dh_leave_runtime(t);
}

/* ---- signal handlers ---- */

void (*dh_handler_left_fault)(struct dh_self *t, uintptr_t address);

/* Handlers begin and end like calls, one within the other; but not in a program that
 * switches stacks in them, so each has a ticket: its number, and its depth. */
static uint64_t new_ticket(struct dh_thread_state *s, uint32_t depth)
{
	return (uint64_t)++s->handler_tickets << 32 | depth;
}

static void remove_at(struct dh_thread_state *s, uint32_t i)
{
	for (s->handler_count--; i < s->handler_count; i++)
		s->handlers[i] = s->handlers[i + 1];
}

uint64_t dh_handler_begin(struct dh_self *t, uintptr_t at, uintptr_t interrupted_sp,
			  uintptr_t fault)
{
	struct dh_thread_state *s = t->state;
	dh_enter_runtime(t);
	if (s->handler_count == DH_HANDLERS)
		remove_at(s, 0);
	uint32_t depth = (uint32_t)(t->top - s->frames);
	struct dh_handler *h = &s->handlers[s->handler_count];
	*h = (struct dh_handler){.ticket = new_ticket(s, depth),
				 .frames = s->frames,
				 .depth = depth,
				 .room = (uint32_t)s->frame_room,
				 .at = at,
				 .sp = interrupted_sp,
				 .fault = fault};
	if (depth + 1 < h->room)
		h->next = s->frames[depth + 1];
	s->handler_count++;
	uint64_t ticket = h->ticket;
	dh_leave_runtime(t);
	return ticket;
}

/* Everything as the handler has found it. */
static void restore(struct dh_self *t, const struct dh_handler *h)
{
	struct dh_thread_state *s = t->state;
	if (s->frames != h->frames)
		put_frames(s, s->frames, s->frame_room);
	s->frames = h->frames;
	s->frame_room = h->room;
	t->top = s->frames + h->depth;
	t->limit = s->frames + h->room;
	if (h->depth + 1 < h->room)
		t->top[1] = h->next;
}

void dh_handler_end(struct dh_self *t, uint64_t ticket)
{
	struct dh_thread_state *s = t->state;
	uint32_t i = 0, depth = (uint32_t)ticket;
	dh_enter_runtime(t);
	while (i < s->handler_count && s->handlers[i].ticket != ticket)
		i++;
	if (i < s->handler_count && i + 1 == s->handler_count) {
		struct dh_handler h = s->handlers[i];
		s->handler_count--;
		restore(t, &h);
	} else {
		t->top = s->frames + DH_MIN((size_t)depth, s->frame_room - 1);
		if (i < s->handler_count)
			remove_at(s, i);
	}
	dh_leave_runtime(t);
}

void dh_handler_abandon(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	struct dh_handler h = *innermost(s);
	s->handler_count--;
	t->top = s->frames + DH_MIN((size_t)h.depth, s->frame_room - 1);
	if (s->frames != h.frames)
		put_frames(s, h.frames, h.room);
	if (h.fault != DH_NO_FAULT)
		dh_handler_left_fault(t, h.fault);
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
	for (struct dh_handler *h; (h = innermost(s)) && !(low <= sp && sp < h->at);) {
		low = h->sp;
		dh_handler_abandon(t);
	}
	struct dh_frame *bottom = own_bottom(t);
	while (t->top > bottom && deeper(t->top->sp, (uint32_t)sp))
		t->top--;
	dh_leave_runtime(t);
}

/* ---- sites ---- */

struct dh_site_entry *dh_sites_cache(uint32_t room)
{
	enum { PAGE = 4096 };
	const size_t size = room * sizeof(struct dh_site_entry);
	char *cache = dh_mem_alloc(size);
	for (size_t at = 0; at < size; at += PAGE)
		*(volatile char *)(cache + at) = 0;
	return (struct dh_site_entry *)(void *)cache;
}

/* A larger cache, empty at first. */
static void grow_sites(struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	dh_mem_free(s->sites, s->site_room * sizeof *s->sites);
	s->site_room *= 4;
	s->site_misses = 0;
	s->sites = dh_sites_cache(s->site_room);
	dh_thread_use_caches(t);
}

/* The cache does not have it. It is too small for the program where that happens again
 * and again. */
static void note(struct dh_self *t, uint32_t node, uint64_t pc, uint32_t site)
{
	enum { MUCH = 1 }; /* misses for each entry */
	struct dh_thread_state *s = t->state;
	if (!site || s->handler_count)
		return;
	if (++s->site_misses > s->site_room * MUCH && s->site_room < DH_SITES_MOST)
		grow_sites(t);
	*dh_site_entry_of(t, node, pc) = (struct dh_site_entry){pc, node, site};
}

static uint32_t node_of_call(struct dh_self *t, uint32_t from, uint64_t pc)
{
	uint32_t node = dh_cached(t, from, pc | DH_SITE_CALL);
	if (!node) {
		node = dh_context_enter(dh_contexts, from, pc);
		note(t, from, pc | DH_SITE_CALL, node);
	}
	return node;
}

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
		node = node_of_call(t, node, f->pc);
		f->node = node;
	}
	return node;
}

uint32_t dh_thread_site(struct dh_self *t, uint64_t pc)
{
	uint32_t node = node_of_top(t);
	uint32_t site = dh_cached(t, node, pc);
	if (!site) {
		site = dh_site_make(dh_contexts, node, pc);
		note(t, node, pc, site);
	}
	return site;
}

DH_NOINLINE uint32_t dh_thread_look_up(struct dh_self *t, uint64_t pc)
{
	if (DH_UNLIKELY(dh_observer != NULL))
		return 0;
	dh_enter_runtime(t);
	uint32_t site = dh_thread_site(t, pc);
	dh_leave_runtime(t);
	return site;
}
