/* SPDX-License-Identifier: MIT */
/* The time to get the mutex runs out: that orders nothing. */
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec past = {1, 0};
static invisible_step_t tried;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1; // race: a
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	invisible_advance(&step);
	invisible_await(&tried, 1);
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	if (pthread_mutex_timedlock(&m, &past) != 0)
		x = 2; // race: b
	invisible_advance(&tried);
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
