/* SPDX-License-Identifier: MIT */
/* Both writes come after the barrier. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_barrier_t b;

static void *one(void *arg)
{
	pthread_barrier_wait(&b);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	pthread_barrier_wait(&b);
	invisible_await(&step, 1);
	x = 2; // race: b
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_barrier_destroy(&b);
	return 0;
}
