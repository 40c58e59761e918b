/* SPDX-License-Identifier: MIT */
/* A lock described by annotations; its own accesses do not count. */
#include "threads.h"

void __tsan_mutex_create(void *m, unsigned flags);
void __tsan_mutex_destroy(void *m, unsigned flags);
void __tsan_mutex_pre_lock(void *m, unsigned flags);
void __tsan_mutex_post_lock(void *m, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *m, unsigned flags);
void __tsan_mutex_post_unlock(void *m, unsigned flags);

static int word;
int data;

static void take(void)
{
	__tsan_mutex_pre_lock(&word, 0);
	while (__atomic_exchange_n(&word, 1, __ATOMIC_RELAXED))
		;
	__tsan_mutex_post_lock(&word, 0, 0);
}

static void give(void)
{
	__tsan_mutex_pre_unlock(&word, 0);
	__atomic_store_n(&word, 0, __ATOMIC_RELAXED);
	__tsan_mutex_post_unlock(&word, 0);
}

static void add(void)
{
	for (int i = 0; i < 100; i++) {
		take();
		data++;
		give();
	}
}

int main(void)
{
	__tsan_mutex_create(&word, 0);
	run_threads(2, add, add);
	__tsan_mutex_destroy(&word, 0);
	return data != 200;
}
