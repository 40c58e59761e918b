/* SPDX-License-Identifier: MIT */
/* One thread locks a mutex and another unlocks it, which works with plain ones. The
 * next comes after what the unlocking thread did. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	x = 1;
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	x = 2;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	/* by the main thread */
	pthread_mutex_lock(&m);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
