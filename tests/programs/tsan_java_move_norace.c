/* SPDX-License-Identifier: MIT */
/* A block of a heap that moves its blocks: its lock goes with it, upwards and down again
 * with both places overlapping, and so does the order of what is done under it elsewhere. */
#include "threads.h"

void __tsan_java_init(unsigned long heap, unsigned long size);
int __tsan_java_fini(void);
void __tsan_java_alloc(unsigned long block, unsigned long size);
void __tsan_java_free(unsigned long from, unsigned long size);
unsigned long __tsan_java_find(unsigned long *from, unsigned long to);
void __tsan_java_move(unsigned long from, unsigned long to, unsigned long size);
void __tsan_java_mutex_lock(unsigned long m);
void __tsan_java_mutex_unlock(unsigned long m);

enum { BLOCK = 64, LOCK = 9, MOVE = 32 };
static long heap[64];
int data;
static invisible_step_t step;

static void touch(unsigned long block)
{
	__tsan_java_mutex_lock(block + LOCK);
	data++;
	*(char *)block = 1;
	__tsan_java_mutex_unlock(block + LOCK);
}

static void check_find(unsigned long from, unsigned long want, unsigned long size)
{
	if (__tsan_java_find(&from, (unsigned long)(heap + 64)) != size ||
	    (size && from != want))
		_exit(1);
}

static void one(void)
{
	unsigned long at = (unsigned long)heap;

	touch(at);
	__tsan_java_move(at, at + MOVE, BLOCK);
	check_find(at, at + MOVE, BLOCK);
	invisible_advance(&step);
	invisible_await(&step, 2);
	__tsan_java_move(at + MOVE, at, BLOCK);
	check_find(at, at, BLOCK);
	touch(at);
	__tsan_java_free(at, BLOCK);
	check_find(at, 0, 0);
}

static void two(void)
{
	invisible_await(&step, 1);
	touch((unsigned long)heap + MOVE);
	invisible_advance(&step);
}

int main(void)
{
	__tsan_java_init((unsigned long)heap, sizeof heap);
	__tsan_java_alloc((unsigned long)heap, BLOCK);
	run_threads(2, one, two);
	return data != 3 || __tsan_java_fini();
}
