/* SPDX-License-Identifier: MIT */
/* See objects.h. */
#define _GNU_SOURCE
#include "runtime/missing/objects.h"
#include "base/kernel.h"
#include "base/sys.h"
#include "runtime/heap.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/reach.h"

bool dh_peek(uintptr_t from, void *to, size_t n)
{
	struct {
		void *base;
		size_t len;
	} local = {to, n}, remote = {(void *)from, n};
	uint64_t self = dh_thread_self()->state->info->os_id;
	return DH_KERNEL_6(__NR_process_vm_readv, self, &local, 1, &remote, 1, 0) ==
	       (long)n;
}

/* The thread's stack, from the caller's end on. A frame ends where the shadow stack has
 * the stack pointer of the function that it was called from. */
static bool on_own_stack(const struct dh_looking *l, uintptr_t addr,
			 struct dh_object *out)
{
	uintptr_t outer_end = l->t->state->info->stack_at;
	if (addr < l->sp || addr >= outer_end)
		return false;
	const struct dh_frame *f = l->t->top, *first = l->t->state->frames;
	while (f > first && (int32_t)(f->sp - (uint32_t)addr) <= 0)
		f--;
	uintptr_t end = addr + (uint32_t)(f->sp - (uint32_t)addr);
	if (f == first || end > outer_end)
		end = outer_end;
	*out = (struct dh_object){addr & ~(uintptr_t)7,
				  DH_MIN(end - addr, (uintptr_t)DH_REACH_GUESS), false};
	return out->size != 0;
}

/* Stacks of others, mappings, thread-local variables. */
static bool is_there(struct dh_looking *l, uintptr_t addr, struct dh_object *out)
{
	uint64_t word;
	if (!l->asks) {
		l->refused = true;
		return false;
	}
	l->asks--;
	addr &= ~(uintptr_t)7;
	if (!dh_peek(addr, &word, sizeof word))
		return false;
	*out = (struct dh_object){addr, DH_REACH_GUESS, false};
	return true;
}

/* What functions that are over have left on the stack is nobody's. */
static bool is_left_behind(const struct dh_looking *l, uintptr_t addr)
{
	enum { NEAR = 256 << 10 };
	return addr < l->sp && l->sp - addr <= NEAR;
}

bool dh_object_at(struct dh_looking *l, uintptr_t addr, bool only_whole,
		  struct dh_object *out)
{
	struct dh_heap_block b;
	if (!dh_may_point(addr) || is_left_behind(l, addr))
		return false;
	if (dh_heap_find(addr, &b)) {
		*out = (struct dh_object){b.base, b.size, true};
		return !b.freed;
	}
	enum dh_global g = dh_global_at(addr, out);
	if (g != DH_GLOBAL_NOT)
		return g == DH_GLOBAL_VARIABLE && (out->whole || !only_whole);
	return !only_whole && (on_own_stack(l, addr, out) || is_there(l, addr, out));
}
