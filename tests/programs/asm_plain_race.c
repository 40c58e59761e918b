/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A counter that one thread raises in assembly and another reads without. */
#include <pthread.h>
#include "invisible.h"

static long counters[2];
static invisible_step_t step;

static void *work(void *arg)
{
	__asm__ volatile("lock incq %0" : "+m"(counters[1]) : : "cc"); // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	invisible_await(&step, 1);
	long seen = counters[1]; // race: b
	pthread_join(t, NULL);
	return seen != 1;
}
