/* SPDX-License-Identifier: MIT */
/* __tsan_release before, __tsan_acquire after. */
#include "threads.h"

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
int data;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	__tsan_release(&step);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	__tsan_acquire(&step);
	data++;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
