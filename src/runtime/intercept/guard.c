/* SPDX-License-Identifier: MIT */
/*
 * The guards of function-local static variables in C++. Compiled code looks at the
 * first byte of the guard (an acquiring load that is instrumented) and calls
 * __cxa_guard_acquire() where it is 0.
 *
 * These are full implementations and not wrappers, because a program may load its C++
 * library later and out of our sight. They keep the guard as libstdc++ does, so that
 * code that was bound to its functions can meet code that was bound to ours:
 *
 *   bit 0 initialised, bit 8 a thread is at it, bit 16 and others wait for it
 */
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"
#include <limits.h>

enum { READY = 1, BUSY = 1 << 8, AWAITED = 1 << 16 };

DH_EXPORT int __cxa_guard_acquire(uint64_t *guard);
DH_EXPORT void __cxa_guard_release(uint64_t *guard);
DH_EXPORT void __cxa_guard_abort(uint64_t *guard);

/* Waits until the guard is READY (false) or the calling thread's to set (true). */
static bool take(uint32_t *word)
{
	for (;;) {
		uint32_t was = 0;
		if (__atomic_compare_exchange_n(word, &was, BUSY, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
		if (was & READY)
			return false;
		if (was == BUSY &&
		    !__atomic_compare_exchange_n(word, &was, BUSY | AWAITED, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		dh_sys_futex_wait(word, BUSY | AWAITED);
	}
}

/* What was done under the guard is there before the guard says so. */
static void leave(uint64_t *guard, uint32_t state)
{
	uint32_t *word = (uint32_t *)guard;
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release(t, (uintptr_t)guard);
	if (__atomic_exchange_n(word, state, __ATOMIC_ACQ_REL) & AWAITED)
		dh_sys_futex_wake(word, INT_MAX);
}

int __cxa_guard_acquire(uint64_t *guard)
{
	bool mine = take((uint32_t *)guard);
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, (uintptr_t)guard);
	return mine;
}

void __cxa_guard_release(uint64_t *guard)
{
	leave(guard, READY);
}

/* The initialiser threw: the next thread tries. */
void __cxa_guard_abort(uint64_t *guard)
{
	leave(guard, 0);
}
