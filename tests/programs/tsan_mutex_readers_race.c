/* SPDX-License-Identifier: MIT */
/* Two readers of an annotated lock, one of which writes. */
#include "threads.h"

void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_destroy(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags);

static int word;
int data;
static invisible_step_t step;

static void one(void)
{
	__tsan_mutex_pre_lock(&word, 1 << 3);
	__tsan_mutex_post_lock(&word, 1 << 3, 0);
	data = 1; // race: a
	__tsan_mutex_pre_unlock(&word, 1 << 3);
	__tsan_mutex_post_unlock(&word, 1 << 3);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	__tsan_mutex_pre_lock(&word, 1 << 3);
	__tsan_mutex_post_lock(&word, 1 << 3, 0);
	data++; // race: b
	__tsan_mutex_pre_unlock(&word, 1 << 3);
	__tsan_mutex_post_unlock(&word, 1 << 3);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
