/* SPDX-License-Identifier: MIT */
/* The signal comes after the unlock: who waited may have destroyed the condition by
 * then. */
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static invisible_step_t step;
static int ready;

static void one(void)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_mutex_unlock(&m);
	pthread_cond_signal(&c); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	invisible_await(&step, 1);
	pthread_cond_destroy(&c); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
