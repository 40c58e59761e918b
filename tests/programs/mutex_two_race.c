/* SPDX-License-Identifier: MIT */
/* Each write is under a mutex, but not the same. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1; // race: a
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&n);
	x = 2; // race: b
	pthread_mutex_unlock(&n);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
