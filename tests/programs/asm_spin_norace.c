/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A spin lock in assembly: taken by cmpxchg, given back by a move. */
#include <pthread.h>

static int lock, data;

static void take(void)
{
	int old;
	do {
		old = 0;
		__asm__ volatile("lock; cmpxchgl %2, %1"
				 : "+a"(old), "+m"(lock)
				 : "r"(1)
				 : "memory", "cc");
		__asm__ volatile("pause");
	} while (old);
}

static void give(void)
{
	__asm__ volatile("movl %1, %0" : "=m"(lock) : "ir"(0) : "memory");
}

static void *work(void *arg)
{
	for (int i = 0; i < 200; i++) {
		take();
		data++;
		give();
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return data != 400;
}
