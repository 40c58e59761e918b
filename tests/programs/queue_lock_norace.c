/* SPDX-License-Identifier: MIT */
/* A lock whose waiters form a queue, each at a node in its own stack (MCS). */
#include <sched.h>
#include "threads.h"

struct node {
	_Atomic(struct node *) next;
	atomic_bool waits;
};
static _Atomic(struct node *) tail;
int x;

static void take(struct node *me)
{
	atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
	struct node *last = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
	if (!last)
		return;
	atomic_store_explicit(&last->next, me, memory_order_release);
	while (atomic_load_explicit(&me->waits, memory_order_acquire))
		sched_yield();
}

static void give(struct node *me)
{
	struct node *last = me, *next;
	if (atomic_compare_exchange_strong_explicit(
		&tail, &last, NULL, memory_order_release, memory_order_relaxed))
		return;
	while (!(next = atomic_load_explicit(&me->next, memory_order_acquire)))
		sched_yield();
	atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void add(void)
{
	for (int i = 0; i < 100; i++) {
		struct node me;
		take(&me);
		x++;
		give(&me);
	}
}

int main(void)
{
	run_threads(3, add, add, add);
	return x == 300 ? 0 : 1;
}
