/* SPDX-License-Identifier: MIT */
/* Fences work through relaxed read-modify-writes as well. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1;
	atomic_thread_fence(memory_order_release);
	atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_fetch_or_explicit(&flag, 0, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
