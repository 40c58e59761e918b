/* SPDX-License-Identifier: MIT */
/* A virtual machine's volatile variable: the release is told before the store, which is a
 * relaxed one; and a finaliser, which comes after all that was. */
#include "threads.h"

void __tsan_java_acquire(unsigned long addr);
void __tsan_java_release(unsigned long addr);
void __tsan_java_release_store(unsigned long addr);
void __tsan_java_finalize(void);

static int flag;
int data, last;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	__tsan_java_release((unsigned long)&flag);
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	invisible_advance(&step);
	invisible_await(&step, 2);
	__tsan_java_acquire((unsigned long)&flag);
	data++;
	last = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	__tsan_java_acquire((unsigned long)&flag);
	data++;
	__tsan_java_release_store((unsigned long)&flag);
	__atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
	invisible_advance(&step);
	invisible_await(&step, 3);
	__tsan_java_finalize();
	last++;
}

int main(void)
{
	run_threads(2, one, two);
	return data != 3 || last != 2;
}
