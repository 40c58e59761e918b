/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A lock of the program's own, and a variable of the file that is read under it twice. gcc
 * may think that what is not named in lock() does not change there, and read it once. */
#include <sched.h>
#include "threads.h"

static atomic_int taken;
static int data;
static invisible_step_t step;

static __attribute__((noinline)) void lock(void)
{
	while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
		sched_yield();
}

static __attribute__((noinline)) void unlock(void)
{
	atomic_store_explicit(&taken, 0, memory_order_release);
}

static void writer(void)
{
	invisible_await(&step, 1);
	lock();
	data = 1;
	unlock();
	invisible_advance(&step);
}

static int before, after;

static void reader(void)
{
	lock();
	before = data;
	unlock();
	invisible_advance(&step);
	invisible_await(&step, 2);
	lock();
	after = data;
	unlock();
}

int main(void)
{
	run_threads(2, writer, reader);
	return before != 0 || after != 1;
}
