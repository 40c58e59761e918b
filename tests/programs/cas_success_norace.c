/* SPDX-License-Identifier: MIT */
/* A compare-exchange that succeeds releases and acquires. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	int expected = 0;

	data = 1;
	atomic_compare_exchange_strong_explicit(&flag, &expected, 1, memory_order_release,
						memory_order_relaxed);
}

static void two(void)
{
	int expected;

	do
		expected = 1;
	while (!atomic_compare_exchange_weak_explicit(&flag, &expected, 2,
						      memory_order_acquire,
						      memory_order_relaxed));
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
