/* SPDX-License-Identifier: MIT */
/* See stop.h. */
#include "runtime/stop.h"
#include <linux/membarrier.h>
#include <linux/time_types.h>
#include "base/kernel.h"
#include "base/sys.h"
#include "runtime/slots.h"
#include "runtime/thread.h"

enum { PATIENCE = 2000 }; /* looks; 1 ms apart after the first HASTE */
enum { HASTE = 1000 };

uint32_t dh_stopping;
static bool has_barrier;

void dh_stop_init(void)
{
	has_barrier = DH_KERNEL_3(__NR_membarrier,
				  MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* Is another thread inside? */
static bool any_inside(void)
{
	const uint32_t *own = &dh_thread_self()->inside;
	bool any = false;
	dh_lock(&dh_threads_lock); /* none of them ends meanwhile */
	for (uint32_t slot = 1; slot < dh_slot_count && !any; slot++) {
		uint32_t id;
		if (!dh_slot_user_locked(slot, &id))
			continue;
		const uint32_t *inside = dh_thread_by_id(id)->inside;
		any =
		    inside && inside != own && __atomic_load_n(inside, __ATOMIC_SEQ_CST);
	}
	dh_unlock(&dh_threads_lock);
	return any;
}

static void pause_for(unsigned round)
{
	struct __kernel_timespec ms = {0, 1000000};
	if (round < HASTE)
		DH_KERNEL_0(__NR_sched_yield);
	else
		DH_KERNEL_2(__NR_nanosleep, &ms, NULL);
}

void dh_stop_others(void)
{
	__atomic_store_n(&dh_stopping, 1, __ATOMIC_SEQ_CST);
	if (has_barrier)
		DH_KERNEL_3(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (unsigned i = 0; i < HASTE + PATIENCE && any_inside(); i++)
		pause_for(i);
}

void dh_stop_end(void)
{
	__atomic_store_n(&dh_stopping, 0, __ATOMIC_SEQ_CST);
	dh_sys_futex_wake(&dh_stopping, INT32_MAX);
}

static void set_inside(struct dh_thread_info *info, const uint32_t *inside)
{
	dh_lock(&dh_threads_lock);
	info->inside = inside;
	dh_unlock(&dh_threads_lock);
}

/* It stays inside while it waits, since no handler may run on it yet; who stops the others
 * does not know of it then. That one of the two sees the other is due to the lock. */
void dh_stop_begin(struct dh_thread_info *info)
{
	set_inside(info, &dh_thread_self()->inside);
	while (DH_UNLIKELY(__atomic_load_n(&dh_stopping, __ATOMIC_SEQ_CST))) {
		set_inside(info, NULL);
		dh_sys_futex_wait(&dh_stopping, 1);
		set_inside(info, &dh_thread_self()->inside);
	}
}

/* The thread is not inside while it waits. */
DH_COLD void dh_stop_here(struct dh_self *t)
{
	while (__atomic_load_n(&dh_stopping, __ATOMIC_SEQ_CST)) {
		dh_leave_runtime(t);
		dh_sys_futex_wait(&dh_stopping, 1);
		t->inside++;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	}
}
