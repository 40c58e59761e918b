/* SPDX-License-Identifier: MIT */
/* The neighbouring byte is another variable: to acquire it is of no use. */
#include "threads.h"

static _Atomic unsigned char flags[8];
int data, seen;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	atomic_store_explicit(&flags[0], 1, memory_order_release);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = atomic_load_explicit(&flags[1], memory_order_acquire);
	seen += data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
