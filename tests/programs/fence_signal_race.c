/* SPDX-License-Identifier: MIT */
/* Signal fences are for one thread and its handlers only. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1; // race: a
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_signal_fence(memory_order_seq_cst);
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
