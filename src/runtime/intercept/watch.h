/* SPDX-License-Identifier: MIT */
/*
 * What interceptors of synchronisation share: whether the calling thread is watched,
 * and what to do when its frame is unwound.
 *
 * Context: any thread. Nothing here allocates or takes a lock.
 */
#ifndef DH_RUNTIME_INTERCEPT_WATCH_H
#define DH_RUNTIME_INTERCEPT_WATCH_H

#include "runtime/thread.h"

/* The calling thread's state, or NULL where the interceptor should just call the real
 * function: not attached yet, ending, asked not to look at synchronisation, or called
 * by the runtime itself. */
DH_INLINE struct dh_self *dh_watched(void)
{
	struct dh_self *t = dh_thread_self();
	return DH_LIKELY(t->state && !t->inside && !t->ignore_sync) ? t : NULL;
}

/* The site of a call that is being intercepted. */
DH_INLINE uint32_t dh_site_of_call(struct dh_self *t, uint64_t pc)
{
	dh_enter_runtime(t);
	uint32_t site = dh_thread_site(t, pc);
	dh_leave_runtime(t);
	return site;
}

/* Another name that programs built long ago use for an interposed function. */
#define DH_OLD_NAME(old, f)                                                              \
	__attribute__((visibility("default"), nothrow, leaf,                             \
		       alias(#f))) extern __typeof__(f) old

/*
 * Frames that have something to do when they are left by an exception, by
 * pthread_exit() or by cancellation. The C way to say that (cleanup attributes) would
 * tie this library to the compiler's unwinding library. A personality routine of our
 * own does not: the unwinder calls it on passing the frame, and it asks to go on.
 *
 * Such a function is DH_UNWOUND, starts with DH_ON_UNWIND(routine), and does something
 * after its call that could be unwound, so that this is no tail call.
 */
#ifdef __clang__
#define DH_UNWOUND __attribute__((noinline))
#else
#define DH_UNWOUND __attribute__((noinline, noclone, noipa))
#endif
#define DH_ON_UNWIND(routine) __asm__ volatile(".cfi_personality 0x1b, " #routine)

/* How the unwinder calls such a routine; the values are those of the C++ ABI. */
enum { DH_UNWIND_CLEANUP = 2, DH_UNWIND_GO_ON = 8 };
#define DH_UNWIND_ROUTINE(name)                                                          \
	int name(int version, int actions, uint64_t kind, void *exception, void *context)

#endif
