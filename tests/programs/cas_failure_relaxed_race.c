/* SPDX-License-Identifier: MIT */
/* The order of its success is of no use to a compare-exchange that fails. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t set;

static void one(void)
{
	data = 1; // race: a
	atomic_store_explicit(&flag, 1, memory_order_release);
	invisible_advance(&set);
}

static void two(void)
{
	int expected = 0;

	invisible_await(&set, 1);
	atomic_compare_exchange_strong_explicit(&flag, &expected, 0, memory_order_acquire,
						memory_order_relaxed);
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
