/* SPDX-License-Identifier: MIT */
/* Acquired before it was released. */
#include "threads.h"

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
int data;
static invisible_step_t step;

static void one(void)
{
	invisible_await(&step, 1);
	data = 1; // race: a
	__tsan_release(&step);
	invisible_advance(&step);
}

static void two(void)
{
	__tsan_acquire(&step);
	invisible_advance(&step);
	invisible_await(&step, 2);
	data++; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
