/* SPDX-License-Identifier: MIT */
/*
 * What ThreadSanitizer's own test programs are linked to, so that they can be run under
 * this detector as they are: a barrier that orders threads in time and in no other way,
 * and the depth of the calling thread's stack as it was told.
 *
 * The barrier's word holds how many threads meet in its low ten bits, and above them how
 * many have come; a thread goes on when its round is full. After 2^22 arrivals rounds
 * begin anew, which no test comes near.
 */
#include "base/sys.h"
#include "runtime/abi.h"
#include "runtime/thread.h"

enum { COUNT_BITS = 10, COUNT_MASK = (1 << COUNT_BITS) - 1 };

DH_EXPORT void __tsan_testonly_barrier_init(uint32_t *barrier, uint32_t count);
void __tsan_testonly_barrier_init(uint32_t *barrier, uint32_t count)
{
	DH_CHECK(count >= 1 && count <= COUNT_MASK);
	__atomic_store_n(barrier, count, __ATOMIC_RELEASE);
}

DH_EXPORT void __tsan_testonly_barrier_wait(uint32_t *barrier);
void __tsan_testonly_barrier_wait(uint32_t *barrier)
{
	uint32_t was = __atomic_fetch_add(barrier, 1U << COUNT_BITS, __ATOMIC_ACQ_REL);
	uint32_t count = was & COUNT_MASK, now = was + (1U << COUNT_BITS);
	uint32_t round = (was >> COUNT_BITS) / count;
	if ((now >> COUNT_BITS) / count != round) {
		dh_sys_futex_wake(barrier, INT32_MAX);
		return;
	}
	do {
		dh_sys_futex_wait(barrier, now);
		now = __atomic_load_n(barrier, __ATOMIC_ACQUIRE);
	} while ((now >> COUNT_BITS) / count == round);
}

DH_EXPORT uintptr_t __tsan_testonly_shadow_stack_current_size(void);
uintptr_t __tsan_testonly_shadow_stack_current_size(void)
{
	const struct dh_self *t = dh_thread_self();
	return t->state ? (uintptr_t)(t->top - t->state->frames) : 0;
}
