/* SPDX-License-Identifier: MIT */
/*
 * Engines other than fasttrack in the running program.
 *
 * There is one library for all engines; the option `engine` picks one at start-up. The
 * fast path of fasttrack, which is inlined into the entry points and linked into programs
 * (hot.h), begins with a look into the table of the shadow. With another engine that
 * table stays empty, so that every access comes to the slow path (access.c), and from
 * there to the engine. fasttrack pays nothing for this on its fast path, and a test of
 * one pointer elsewhere.
 *
 * Order is kept as for fasttrack: t->vc is the strong clock of a thread (thread.h),
 * whatever the engine. It is brought up to date before an acquiring step is told, and
 * after a releasing one was; a time frame ends at a release if something was recorded in
 * it (t->dirty), which access() sees to.
 *
 * What is told when
 *   lock        after the program got it, before it gives it back
 *   message     (condition variable of C++, semaphore, pipe, once, guard, annotation,
 * ...) sent before the step that lets others go on, received after it barrier     entered
 * before the wait, left after it. Two rounds of a barrier that overlap have different
 * numbers atomic      a store before it is done, a load after; a read-modify-write both
 *   thread      forked before it is made, started by itself before all else, ended when
 *               nothing of it follows, joined after
 *   memory      allocated before the program has the block, freed while it still has
 * So the order in which events of different threads are told is one in which they can
 * have happened.
 *
 * Context: hooks run in the thread that does the step, with `inside` raised (so no signal
 * handler of the program comes in between) and any number of threads at a time. They
 * allocate with base/mem.h, call no libc, and never block for long. Any hook but access
 * may be NULL.
 */
#ifndef DH_RUNTIME_OBSERVER_H
#define DH_RUNTIME_OBSERVER_H

#include "runtime/thread.h"

struct dh_report_counter;
struct dh_reach;

enum dh_observed {
	DH_SEEN_LOCK,	       /* object: its address */
	DH_SEEN_READ_LOCK,     /* in read mode */
	DH_SEEN_UNLOCK,	       /* of either; */
	DH_SEEN_READ_UNLOCK,   /* locks that nest arrive once for each level; one that
				* another thread has taken is a message */
	DH_SEEN_SEND,	       /* object: an address that stands for the message */
	DH_SEEN_RECEIVE,       /* comes after all that was sent through it */
	DH_SEEN_BARRIER_ENTER, /* object: address of the barrier, plus 0 or 1 by turns */
	DH_SEEN_BARRIER_LEAVE,
	DH_SEEN_FENCE, /* object: its memory order */
	DH_SEEN_START, /* of this thread; object: its id (dh_thread_info) */
	DH_SEEN_END,
	DH_SEEN_FORK, /* object: id of the thread to be */
	DH_SEEN_JOIN, /* object: id of the thread that has ended, joined or seen dead */
	DH_SEEN_ALL,  /* this thread comes after all that any thread has done so far */
	DH_SEEN_LAST, /* a function that was to be called at the end begins */
	DH_SEEN_KINDS
};

/* How detection changes; include/deadheat.h has the same numbers. */
enum dh_detect {
	DH_DETECT_OFF = 1, /* else: suspended */
	DH_DETECT_ALL = 2, /* for all threads */
	DH_DETECT_END = 4, /* no longer */
};

enum dh_observed_atomic {
	DH_ATOMIC_STORING,   /* about to */
	DH_ATOMIC_LOADED,    /* has */
	DH_ATOMIC_MODIFYING, /* a read-modify-write, about to; may come to nothing */
	DH_ATOMIC_MODIFIED,  /* has, or has failed and only read */
};

struct dh_observer {
	const char *name;

	/* At start-up, with the options known and the main thread attached. */
	void (*start)(struct dh_self *t);

	/* size bytes from addr on; flags: enum dh_access_flags, of which DH_ACCESS_FREE
	 * does not come here. Atomic accesses come here too, before the operation. */
	void (*access)(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
		       uint64_t pc);

	/* Or NULL: the same for a plain one as dh_access_told() (access.h) has it, where
	 * `inside` is not raised yet. */
	void (*first)(struct dh_self *t, uintptr_t addr, unsigned how, uint64_t pc,
		      struct dh_cell *c);

	void (*sync)(struct dh_self *t, enum dh_observed what, uintptr_t object,
		     uint64_t pc); /* pc may be 0: somewhere in the innermost function */
	void (*atomic)(struct dh_self *t, enum dh_observed_atomic what, uintptr_t addr,
		       unsigned size, int order, uint64_t pc);

	/* Blocks of the heap. pc is 0 where the free is not to be judged as a write. */
	void (*alloc)(struct dh_self *t, uintptr_t base, size_t size, uint32_t site);
	void (*free)(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		     uint64_t pc);

	/* A call of a function whose inside is not seen, by code that is (missing/missing.h):
	 * with all that it can reach, and pc, where it returns to. It ends once, after all
	 * that began within it, and reach is what it was. Both, or neither, for who does
	 * not ask. */
	void (*missing_begin)(struct dh_self *t, const char *name, uint64_t pc,
			      const struct dh_reach *reach);
	void (*missing_end)(struct dh_self *t, const char *name, uint64_t pc,
			    const struct dh_reach *reach);

	/* What happened to this memory does not count any more: mappings that come and
	 * go, annotations. May be large, and may be on behalf of a thread without state.
	 */
	void (*fresh)(uintptr_t addr, size_t size);

	/* The granule of the program that the thread is just judging, for who keeps cells
	 * aside (shadow.h). */
	uintptr_t (*granule)(struct dh_self *t);

	/* May another thread have written the granule last, not ordered before the present?
	 * A look that leaves nothing (intercept/object.h). */
	bool (*unknown)(struct dh_self *t, uintptr_t granule);

	/* Locks and the like in this memory are no more: what is there later is another
	 * one. As fresh(). */
	void (*forget)(uintptr_t addr, size_t size);

	/* Annotations: each `unit` bytes of the range are one variable; detection is
	 * suspended or off, for the range and the calling thread, for the thread (size 0),
	 * or for all threads; or no longer is. */
	void (*unit)(struct dh_self *t, uintptr_t addr, size_t size, size_t unit);
	void (*detect)(struct dh_self *t, unsigned how, uintptr_t addr, size_t size);

	/* In the child of a fork, where only this thread is left. */
	void (*forked)(struct dh_self *t);

	/* At the end of the run, before the summary is sent; other threads may still run,
	 * and it may come more than once.
	 * And the engine's counters for it: fills room, returns how many. */
	void (*finish)(void);
	size_t (*counters)(struct dh_report_counter *room, size_t max);
};

/* At start-up: sets it by the option. */
void dh_observer_choose(void);
void dh_observer_start(void);

/* ---- for those who tell ---- */

void dh_observe_sync(struct dh_self *t, enum dh_observed what, uintptr_t object,
		     uint64_t pc);

/* At the end of every hook that an access or a step of synchronisation comes to: what is
 * left in the registers for arguments would be taken for arguments of the call of a
 * missing method, though the function has fewer (missing/reach.h). */
DH_INLINE void dh_leave_no_arguments(void)
{
#if defined(__x86_64__)
	__asm__ volatile("xor %%edi, %%edi\n\t"
			 "xor %%esi, %%esi\n\t"
			 "xor %%edx, %%edx\n\t"
			 "xor %%ecx, %%ecx\n\t"
			 "xor %%r8d, %%r8d\n\t"
			 "xor %%r9d, %%r9d"
			 :
			 :
			 : "rdi", "rsi", "rdx", "rcx", "r8", "r9", "cc");
#endif
}

void dh_observe_access(uintptr_t addr, size_t size, unsigned flags, uint64_t pc);
void dh_observe_atomic(enum dh_observed_atomic what, uintptr_t addr, unsigned size,
		       int order, uint64_t pc);
void dh_observe_alloc(struct dh_self *t, uintptr_t base, size_t size, uint32_t site);
void dh_observe_free(struct dh_self *t, uintptr_t base, size_t size, uint32_t site,
		     uint64_t pc);
void dh_observe_fresh(uintptr_t addr, size_t size);
bool dh_observe_unknown(uintptr_t granule);
void dh_observe_forget(uintptr_t addr, size_t size);
void dh_observe_unit(uintptr_t addr, size_t size, size_t unit);
void dh_observe_detect(unsigned how, uintptr_t addr, size_t size);

DH_INLINE void dh_saw(struct dh_self *t, enum dh_observed what, uintptr_t object,
		      uint64_t pc)
{
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_sync(t, what, object, pc);
}

DH_INLINE void dh_saw_atomic(enum dh_observed_atomic what, uintptr_t addr, unsigned size,
			     int order, uint64_t pc)
{
	if (DH_UNLIKELY(dh_observer != NULL))
		dh_observe_atomic(what, addr, size, order, pc);
}

/* ---- the engines ---- */

extern const struct dh_observer dh_observer_null, dh_observer_count, dh_observer_record;
extern const struct dh_observer dh_observer_racetrack;

/* Those of the host (host/host.h). */
extern const struct dh_observer dh_observer_djit, dh_observer_lockset,
    dh_observer_multirace, dh_observer_eraser, dh_observer_racetrack_basic,
    dh_observer_patent, dh_observer_goldilocks, dh_observer_goldilocks_paper,
    dh_observer_log;

#endif
