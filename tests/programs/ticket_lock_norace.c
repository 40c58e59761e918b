/* SPDX-License-Identifier: MIT */
/* A fair lock: numbers are drawn with a relaxed addition, the turn is acquired. */
#include "threads.h"

static atomic_uint next, turn;
int data;

static void add(void)
{
	for (int i = 0; i < 1000; i++) {
		unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);

		while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
			;
		data++;
		atomic_store_explicit(&turn, mine + 1, memory_order_release);
	}
}

int main(void)
{
	run_threads(2, add, add);
	return 0;
}
