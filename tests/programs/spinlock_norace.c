/* SPDX-License-Identifier: MIT */
/* A lock made of an atomic flag. */
#include "threads.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
int data;

static void add(void)
{
	for (int i = 0; i < 1000; i++) {
		while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
			;
		data++;
		atomic_flag_clear_explicit(&lock, memory_order_release);
	}
}

int main(void)
{
	run_threads(2, add, add);
	return 0;
}
