/* SPDX-License-Identifier: MIT */
/* What follows the release is not published by it, though others carry on the
 * sequence. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	data = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
	invisible_advance(&step);
}

static void three(void)
{
	invisible_await(&step, 2);
	atomic_load_explicit(&flag, memory_order_acquire);
	seen = data; // race: b
}

int main(void)
{
	run_threads(3, one, two, three);
	return 0;
}
