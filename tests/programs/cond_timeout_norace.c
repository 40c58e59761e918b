/* SPDX-License-Identifier: MIT */
/* When the time runs out, who waited has the mutex again. */
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const struct timespec past = {1, 0};
static invisible_step_t step;
int x;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	if (pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT)
		x = 1;
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	if (pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT)
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
