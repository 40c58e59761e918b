/* SPDX-License-Identifier: MIT */
/* The acquire fence comes before the load that it should follow. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	atomic_thread_fence(memory_order_acquire);
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
