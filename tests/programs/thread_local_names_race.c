/* SPDX-License-Identifier: MIT */
/* Thread-local variables that others get at are called by their names, and whose. */
// run: --verbose
// message: on own.second of thread 1
// message: own is a thread-local variable of 8 bytes, declared at
// message: on table[2] of the main thread
#include "threads.h"

static __thread struct {
	int first, second;
} own;
static __thread int table[4] = {1, 2, 3, 4};
static int *_Atomic shared;
static int *mains;
static invisible_step_t step;

static void one(void)
{
	own.second = 1; // race: a
	mains[2] = 1;	// race: a
	atomic_store_explicit(&shared, &own.second, memory_order_relaxed);
	invisible_advance(&step);
	invisible_await(&step, 2);
}

static void two(void)
{
	invisible_await(&step, 1);
	int *others = atomic_load_explicit(&shared, memory_order_relaxed);
	*others = 2;  // race: b
	mains[2] = 2; // race: b
	invisible_advance(&step);
}

int main(void)
{
	mains = table;
	run_threads(2, one, two);
	return 0;
}
