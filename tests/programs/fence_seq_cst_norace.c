/* SPDX-License-Identifier: MIT */
/* Fences of the strongest order are release and acquire fences too. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1;
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_seq_cst);
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
