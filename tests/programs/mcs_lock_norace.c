/* SPDX-License-Identifier: MIT */
/* A lock that each waiter waits for at a place of its own, on its stack. */
#include <sched.h>
#include "threads.h"

struct waiter {
	_Atomic(struct waiter *) next;
	atomic_int waits;
};

static _Atomic(struct waiter *) last;
static int count;

static void lock(struct waiter *w)
{
	atomic_store_explicit(&w->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&w->waits, 1, memory_order_relaxed);
	struct waiter *before = atomic_exchange_explicit(&last, w, memory_order_acq_rel);
	if (!before)
		return;
	atomic_store_explicit(&before->next, w, memory_order_release);
	while (atomic_load_explicit(&w->waits, memory_order_acquire))
		sched_yield();
}

static void unlock(struct waiter *w)
{
	struct waiter *next, *own = w;

	if (atomic_compare_exchange_strong_explicit(&last, &own, NULL, memory_order_release,
						    memory_order_relaxed))
		return;
	while (!(next = atomic_load_explicit(&w->next, memory_order_acquire)))
		sched_yield();
	atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void worker(void)
{
	for (int i = 0; i < 200; i++) {
		struct waiter w;
		lock(&w);
		count++;
		unlock(&w);
	}
}

int main(void)
{
	run_threads(3, worker, worker, worker);
	return count != 600;
}
