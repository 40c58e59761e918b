/* SPDX-License-Identifier: MIT */
/* A compare-exchange that fails is a load with its failure order. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
}

static void two(void)
{
	int expected;

	do
		expected = 0;
	while (atomic_compare_exchange_strong_explicit(&flag, &expected, 0,
						       memory_order_relaxed,
						       memory_order_acquire));
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
