/* SPDX-License-Identifier: MIT */
/* A cancelled thread writes after it has unlocked the mutex. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static invisible_step_t step;
int waits, x;

static void clean_up(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&m);
	x = 1; // race: a
	invisible_advance(&step);
}

static void *wait(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(clean_up, NULL);
	for (waits = 1;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	int done = 0;

	pthread_create(&t, NULL, wait, NULL);
	while (!done) {
		pthread_mutex_lock(&m);
		done = waits;
		pthread_mutex_unlock(&m);
	}
	pthread_cancel(t);
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	x = 2; // race: b
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return 0;
}
