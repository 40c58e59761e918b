/* SPDX-License-Identifier: MIT */
/* __tsan_acquire comes after a release store to the same address, though a relaxed store
 * has covered its value. */
#include "threads.h"

void __tsan_acquire(void *addr);
int data;
static int word;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&word, 2, __ATOMIC_RELAXED);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (__atomic_load_n(&word, __ATOMIC_RELAXED) == 2)
		__tsan_acquire(&word);
	data++;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
