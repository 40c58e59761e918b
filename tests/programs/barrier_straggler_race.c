/* SPDX-License-Identifier: MIT */
/* A fast thread is on its way into the next round when the slow one looks at what it
 * did: the round that both are past does not order that. */
#include <pthread.h>
#include "invisible.h"

static pthread_barrier_t b;
static invisible_step_t step;
int x, seen;

static void *fast(void *arg)
{
	pthread_barrier_wait(&b);
	x = 1; // race: a
	invisible_advance(&step);
	pthread_barrier_wait(&b);
	return arg;
}

static void *slow(void *arg)
{
	pthread_barrier_wait(&b);
	invisible_await(&step, 1);
	seen = x; // race: b
	pthread_barrier_wait(&b);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t[0], NULL, fast, NULL);
	pthread_create(&t[1], NULL, slow, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
