/* SPDX-License-Identifier: MIT */
/*
 * Who calls an interposed function. Code that was not built for watching synchronises in
 * ways that nobody sees (its atomics are plain instructions), so what it does to memory
 * through memcpy, free, ... must not be judged: it would be reported where it is right.
 * The C++ library is an exception: its functions work on the program's own strings and
 * buffers. But it counts references unseen, so what it frees is not judged either.
 *
 * Concurrency: any thread, any time; asking takes no lock.
 */
#ifndef DH_RUNTIME_CALLERS_H
#define DH_RUNTIME_CALLERS_H

#include "runtime/thread.h"

enum dh_caller {
	DH_CALLER_FOREIGN = 0, /* nothing that it does is judged */
	DH_CALLER_LIBRARY,     /* what it reads and writes is, */
	DH_CALLER_WATCHED,     /* and what it frees too */
};

/* A module has announced itself as instrumented, or one may have: looks at what has been
 * loaded since the last time. Called by constructors of modules, many times. */
void dh_callers_note(void);

/* ---- asking ---- */

/* What was found out of late, by page of code: page, generation, kind. */
enum {
	DH_CALLERS_BITS = 12,
	DH_CALLERS_PAGE = 12,
	DH_CALLERS_KIND_BITS = 2,
	DH_CALLERS_ROUND_BITS = 10,
};
extern uint64_t dh_callers_known[1 << DH_CALLERS_BITS]; /* atomic */
extern uint32_t dh_callers_round; /* atomic: rises when an answer may have changed */

/* The long way. */
enum dh_caller dh_callers_look_up(uint64_t pc);

DH_INLINE enum dh_caller dh_caller_kind(uint64_t pc)
{
	uint64_t page = pc >> DH_CALLERS_PAGE;
	uint64_t entry = __atomic_load_n(&dh_callers_known[page % (1 << DH_CALLERS_BITS)],
					 __ATOMIC_RELAXED);
	uint64_t want = page << DH_CALLERS_ROUND_BITS |
			__atomic_load_n(&dh_callers_round, __ATOMIC_RELAXED);
	if (DH_LIKELY(entry >> DH_CALLERS_KIND_BITS == want))
		return (enum dh_caller)(entry & ((1 << DH_CALLERS_KIND_BITS) - 1));
	return dh_callers_look_up(pc);
}

/* The same for a function that nobody but its caller is to answer for, where the call
 * returns to pc: a library's function whose last act it is to call one of ours does not
 * show, since it has left no return address, but what was called before pc does. */
enum dh_caller dh_caller_of_call(uint64_t pc);

/* The place in the innermost instrumented function of this thread where it called the
 * code that has now called us; 0 where that cannot be told. For stacks: a library's own
 * pc says little without it. The thread has state. */
uint64_t dh_caller_behind(const struct dh_self *t);

/* The same for code that a signal has interrupted at this stack pointer. */
uint64_t dh_caller_behind_at(const struct dh_self *t, uintptr_t sp);

#endif
