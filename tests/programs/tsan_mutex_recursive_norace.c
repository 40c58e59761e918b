/* SPDX-License-Identifier: MIT */
/* All levels of a recursive lock given back at once and taken again, as a monitor
 * does to wait. */
#include "threads.h"

void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_destroy(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags);

static int word;
int data;

enum { RECURSIVE_LOCK = 1 << 6, RECURSIVE_UNLOCK = 1 << 7 };

static invisible_step_t step;

static void take(unsigned flags, int levels)
{
	__tsan_mutex_pre_lock(&word, flags);
	__tsan_mutex_post_lock(&word, flags, levels);
}

static int give(unsigned flags)
{
	int levels = __tsan_mutex_pre_unlock(&word, flags);
	__tsan_mutex_post_unlock(&word, flags);
	return levels;
}

static void one(void)
{
	take(0, 0);
	take(0, 0);
	data = 1;
	int levels = give(RECURSIVE_UNLOCK);
	if (levels != 2)
		_exit(1);
	invisible_advance(&step);
	invisible_await(&step, 2);
	take(RECURSIVE_LOCK, levels);
	data++;
	give(0);
	give(0);
}

static void two(void)
{
	invisible_await(&step, 1);
	take(0, 0);
	data++;
	give(0);
	invisible_advance(&step);
}

int main(void)
{
	run_threads(2, one, two);
	return data != 3;
}
