/* SPDX-License-Identifier: MIT */
/* Who has waited comes after who told, by the mutex. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static invisible_step_t step;
int ready, x;
static const struct timespec never = {1ll << 32, 0};

static void *tell(void *arg)
{
	invisible_await(&step, 1);
	x = 1;
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	invisible_advance(&step);
	while (!ready)
		pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &never);
	pthread_mutex_unlock(&m);
	invisible_await(&step, 2);
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, wait, NULL);
	pthread_create(&t[1], NULL, tell, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
