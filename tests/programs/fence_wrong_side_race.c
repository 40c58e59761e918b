/* SPDX-License-Identifier: MIT */
/* The fences are there, but each is the kind that the other side needs. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1; // race: a
	atomic_thread_fence(memory_order_acquire);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_release);
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
