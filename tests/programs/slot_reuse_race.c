/* SPDX-License-Identifier: MIT */
/* A thread that has the place in the clocks of an earlier one is not taken for it: what
 * is known of the earlier one does not cover what the later one does. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
int x;

static void *first(void *arg)
{
	x = 1;
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *second(void *arg)
{
	x = 2; // race: a
	return arg;
}

static void *look(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	x = 3; // race: b
	return arg;
}

int main(void)
{
	pthread_t t, last;

	pthread_create(&last, NULL, look, NULL);
	pthread_create(&t, NULL, first, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, second, NULL);
	pthread_join(t, NULL);
	invisible_advance(&step);
	pthread_join(last, NULL);
	return 0;
}
