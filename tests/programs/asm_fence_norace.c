/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Publication by fences in assembly, of either kind, around relaxed atomics. */
#include <pthread.h>

static int first, second, flag;

static void *work(void *arg)
{
	first = 1;
	__asm__ volatile("mfence" : : : "memory");
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	while (__atomic_load_n(&flag, __ATOMIC_RELAXED) != 2)
		;
	__asm__ volatile("lfence" : : : "memory");
	second++;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	while (__atomic_load_n(&flag, __ATOMIC_RELAXED) != 1)
		;
	__asm__ volatile("lock; addl $0, -4(%%rsp)" : : : "memory", "cc");
	first++;
	second = 1;
	__asm__ volatile("sfence" : : : "memory");
	__atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	return first != 2 || second != 2;
}
