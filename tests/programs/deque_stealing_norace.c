/* SPDX-License-Identifier: MIT */
/* A deque whose owner works at one end and from whose other end others steal, with fences
 * and relaxed atomics. */
#include <sched.h>
#include <stdlib.h>
#include "threads.h"

enum { ITEMS = 300 };
static atomic_long top, bottom;
static _Atomic(int *) items[ITEMS];
static atomic_int done;

static void push(int *item)
{
	long b = atomic_load_explicit(&bottom, memory_order_relaxed);

	atomic_store_explicit(&items[b], item, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int *steal(void)
{
	long t = atomic_load_explicit(&top, memory_order_acquire);

	atomic_thread_fence(memory_order_seq_cst);
	if (t >= atomic_load_explicit(&bottom, memory_order_acquire))
		return NULL;
	int *item = atomic_load_explicit(&items[t], memory_order_relaxed);
	return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
						       memory_order_relaxed)
		   ? item
		   : NULL;
}

static void owner(void)
{
	for (int i = 0; i < ITEMS; i++) {
		int *item = malloc(sizeof *item);
		*item = 1;
		push(item);
	}
}

static void thief(void)
{
	while (atomic_load_explicit(&done, memory_order_relaxed) < ITEMS) {
		int *item = steal();
		if (item) {
			atomic_fetch_add_explicit(&done, *item, memory_order_relaxed);
			free(item);
		} else {
			sched_yield();
		}
	}
}

int main(void)
{
	run_threads(3, owner, thief, thief);
	return 0;
}
