/* SPDX-License-Identifier: MIT */
/* Two releasing read-modify-writes add up. */
#include "threads.h"

int data, seen;
static atomic_int flag;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	atomic_fetch_add_explicit(&flag, 1, memory_order_release);
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
	seen = data;
}

int main(void)
{
	run_threads(3, one, two, three);
	return 0;
}
