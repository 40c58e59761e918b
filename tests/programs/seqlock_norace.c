/* SPDX-License-Identifier: MIT */
/* A sequence lock whose data are atomics too: readers retry, and take no lock. */
#include "threads.h"

static atomic_uint sequence;
static atomic_int data[2];

static void write_all(void)
{
	for (int i = 1; i <= 500; i++) {
		unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);

		atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
		atomic_store_explicit(&data[0], i, memory_order_relaxed);
		atomic_store_explicit(&data[1], -i, memory_order_relaxed);
		atomic_store_explicit(&sequence, s + 2, memory_order_release);
	}
}

static void read_all(void)
{
	for (int last = 0; last < 500;) {
		unsigned s = atomic_load_explicit(&sequence, memory_order_acquire);
		int a = atomic_load_explicit(&data[0], memory_order_relaxed);
		int b = atomic_load_explicit(&data[1], memory_order_relaxed);

		atomic_thread_fence(memory_order_acquire);
		if (!(s & 1) && s == atomic_load_explicit(&sequence, memory_order_relaxed) &&
		    a == -b)
			last = a;
	}
}

int main(void)
{
	run_threads(2, write_all, read_all);
	return 0;
}
