/* SPDX-License-Identifier: MIT */
/* By the rules of C++20 even a relaxed store of the same thread ends its release
 * sequence. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_store_explicit(&flag, 2, memory_order_relaxed);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	atomic_load_explicit(&flag, memory_order_acquire);
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
