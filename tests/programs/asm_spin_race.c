/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A spin lock in assembly does not order what comes before it is taken. A cmpxchg that
 * fails publishes nothing. */
#include <pthread.h>
#include "invisible.h"

int data;
static int lock;
static invisible_step_t step;

static int try(void)
{
	int old = 0;
	__asm__ volatile("lock cmpxchg %2, %1"
			 : "+a"(old), "+m"(lock)
			 : "r"(1)
			 : "memory", "cc");
	return !old;
}

static void *work(void *arg)
{
	invisible_await(&step, 1);
	data = 1; // race: a
	int got = try();
	invisible_advance(&step);
	return got ? NULL : arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, &lock);
	int first = try();
	invisible_advance(&step);
	invisible_await(&step, 2);
	int second = try();
	data = 2; // race: b
	pthread_join(t, NULL);
	return !first || second;
}
