/* SPDX-License-Identifier: MIT */
/* A sequence that nothing released publishes nothing but its own second half. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	atomic_fetch_add_explicit(&flag, 1, memory_order_release);
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
