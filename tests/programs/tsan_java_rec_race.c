/* SPDX-License-Identifier: MIT */
/* All levels of a virtual machine's lock given back at once, and the block used without. */
#include "threads.h"

void __tsan_java_init(unsigned long heap, unsigned long size);
void __tsan_java_alloc(unsigned long block, unsigned long size);
void __tsan_java_mutex_lock(unsigned long m);
void __tsan_java_mutex_unlock(unsigned long m);
void __tsan_java_mutex_lock_rec(unsigned long m, int times);
int __tsan_java_mutex_unlock_rec(unsigned long m);

static long heap[8];
static invisible_step_t step;

static void one(void)
{
	unsigned long lock = (unsigned long)&heap[1];

	__tsan_java_mutex_lock(lock);
	__tsan_java_mutex_lock(lock);
	int times = __tsan_java_mutex_unlock_rec(lock);
	if (times != 2)
		_exit(1);
	heap[0] = 1; // race: a
	invisible_advance(&step);
	invisible_await(&step, 2);
	__tsan_java_mutex_lock_rec(lock, times);
	__tsan_java_mutex_unlock(lock);
	__tsan_java_mutex_unlock(lock);
}

static void two(void)
{
	unsigned long lock = (unsigned long)&heap[1];

	invisible_await(&step, 1);
	__tsan_java_mutex_lock(lock);
	heap[0] = 2; // race: b
	__tsan_java_mutex_unlock(lock);
	invisible_advance(&step);
}

int main(void)
{
	__tsan_java_init((unsigned long)heap, sizeof heap);
	__tsan_java_alloc((unsigned long)heap, sizeof heap);
	run_threads(2, one, two);
	return 0;
}
