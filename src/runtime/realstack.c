/* SPDX-License-Identifier: MIT */
/*
 * See realstack.h. The innermost frame of the shadow stack has the address that its
 * function returns to, and the real stack has the same: what is found between pc and
 * that one is what the shadow stack misses. Where it is not found, it misses nothing
 * that we could put right.
 *
 * The unwinder is libgcc's, linked in. With glibc 2.35 or later it takes no lock.
 */
#include "runtime/realstack.h"

#include <unwind.h>

enum { MOST = 64 };

struct walk {
	uint64_t pc, stop;
	uint64_t found[MOST]; /* from pc on, outward */
	uint32_t len;
	bool reached;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *argument)
{
	struct walk *w = argument;
	uint64_t ip = (uint64_t)_Unwind_GetIP(context);
	if (w->len == 0 && ip != w->pc)
		return _URC_NO_REASON; /* still within the runtime */
	if (ip == w->stop) {
		w->reached = true;
		return _URC_END_OF_STACK;
	}
	if (w->len == MOST)
		return _URC_END_OF_STACK;
	w->found[w->len++] = ip;
	return _URC_NO_REASON;
}

DH_COLD uint32_t dh_realstack_site(struct dh_self *t, uint64_t pc)
{
	uint32_t plain = dh_thread_site(t, pc);
	struct walk w = {.pc = pc, .stop = t->top->pc};
	_Unwind_Backtrace(step, &w);
	bool outermost = t->top == t->state->frames;
	if ((!w.reached && !outermost) || w.len < 2)
		return plain;
	/* dh_thread_site() has looked up the node of the innermost frame. */
	uint32_t node = t->top->node;
	for (uint32_t i = w.len - 1; i > 0; i--)
		node = dh_context_enter(dh_contexts, node, w.found[i]);
	return dh_site_make(dh_contexts, node, w.found[0]);
}
