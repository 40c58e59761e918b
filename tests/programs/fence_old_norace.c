/* SPDX-License-Identifier: MIT */
/* A release fence covers all later relaxed stores, and an acquire fence all
 * earlier loads. */
#include "threads.h"

int data, seen;
static atomic_int flag, other;

static void one(void)
{
	data = 1;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&other, 1, memory_order_relaxed);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_load_explicit(&other, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
