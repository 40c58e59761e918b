/* SPDX-License-Identifier: MIT */
/* So does a relaxed compare-exchange that succeeds. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	int expected = 1;
	atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_relaxed,
						memory_order_relaxed);
	invisible_advance(&step);
}

static void three(void)
{
	invisible_await(&step, 2);
	atomic_load_explicit(&flag, memory_order_acquire);
	seen = data;
}

int main(void)
{
	run_threads(3, one, two, three);
	return 0;
}
