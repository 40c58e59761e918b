/* SPDX-License-Identifier: MIT */
/*
 * The calls of missing methods that a thread is in: of functions that are not
 * instrumented, by way of the trampolines, and what the program says is one
 * (DEADHEAT_MISSING_BEGIN). Each is told to the engine when it begins and, once, when it
 * ends (observer.h): by returning, by an exception or a jump that leaves it, by the end
 * of the thread.
 *
 * A thread's calls form a list, the innermost first. What the trampoline lives on stays
 * where it is until nothing can come back to it: a call that has returned or was unwound
 * is given back at the thread's next call that is not a signal handler's within it. One
 * that seems to have been left (by longjmp(), by a switch to another stack) may yet
 * return; it is kept until its place on the stack has something else in it.
 *
 * Context: the thread itself; nothing here but dh_call_begin() and dh_call_end() may be
 * called `inside`.
 */
#ifndef DH_RUNTIME_MISSING_CALLS_H
#define DH_RUNTIME_MISSING_CALLS_H

#include "runtime/missing/reach.h"
#include "runtime/missing/trampoline.h"
#include "runtime/thread.h"

enum { DH_CALL_NAME_MAX = 64 };

enum dh_call_state {
	DH_CALL_OPEN,
	DH_CALL_OVER, /* has been told to be over; nothing will come back to it */
	DH_CALL_LEFT, /* likewise, but something may */
};

struct dh_call {
	struct dh_away away; /* first: trampoline.h */
	struct dh_call *outer;
	const char *name;
	uint64_t pc;		       /* where it returns to */
	uintptr_t sp;		       /* the caller's stack pointer */
	struct dh_thread_state *owner; /* who is in it */
	uint32_t handlers;	       /* signal handlers that the thread was in */
	uint32_t depth;		       /* of the shadow stack; for an annotated one */
	enum dh_call_state state;
	bool annotated;
	bool elsewhere; /* atomic: has returned, on another thread */
	struct dh_reach reach;
	char own_name[DH_CALL_NAME_MAX];
};

/* What hangs off a thread (thread.h). */
struct dh_calls {
	struct dh_call *top, *spare, *left;
	size_t left_count, left_most; /* how many are kept, and how many may be */
	struct dh_reach globals;      /* that the next one may use, as the program says */
};

/* The frames below sp have been left. The thread is not `inside`. */
void dh_calls_left_below_slow(struct dh_self *t, uintptr_t sp);

DH_INLINE void dh_calls_left_below(struct dh_self *t, uintptr_t sp)
{
	if (DH_UNLIKELY(t->state && t->state->calls))
		dh_calls_left_below_slow(t, sp);
}

/* How many calls have been told of. */
uint64_t dh_calls_told(void);

#endif
