/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A fence in assembly on one side alone orders nothing. */
#include <pthread.h>
#include "invisible.h"

int data;
static int flag;
static invisible_step_t step;

static void *work(void *arg)
{
	data = 1; // race: a
	__asm__ volatile("mfence" : : : "memory");
	__atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	invisible_await(&step, 1);
	int seen = __atomic_load_n(&flag, __ATOMIC_RELAXED);
	data = 2; // race: b
	pthread_join(t, NULL);
	return !seen;
}
