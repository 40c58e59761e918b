/* SPDX-License-Identifier: MIT */
/* The same, but the unlock does not release. */
#include "threads.h"

static atomic_flag lock = ATOMIC_FLAG_INIT;
int data;
static invisible_step_t step;

static void one(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
	data = 1; // race: a
	atomic_flag_clear_explicit(&lock, memory_order_relaxed);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
	data = 2; // race: b
	atomic_flag_clear_explicit(&lock, memory_order_relaxed);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
