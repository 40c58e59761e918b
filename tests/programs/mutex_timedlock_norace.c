/* SPDX-License-Identifier: MIT */
/* The mutex is got in time. */
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec never = {1ll << 32, 0};

static void *one(void *arg)
{
	pthread_mutex_timedlock(&m, &never);
	x = 1;
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_timedlock(&m, &never);
	x = 2;
	pthread_mutex_unlock(&m);
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
