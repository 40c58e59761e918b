/* SPDX-License-Identifier: MIT */
/* A mutex passes on what its last holder knew, though that one has the place in the
 * clocks of an earlier thread that had held the mutex too. */
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
int x;

static void *hold(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

static void *look(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t, last;

	pthread_create(&last, NULL, look, NULL);
	pthread_create(&t, NULL, hold, NULL);
	pthread_join(t, NULL);
	x = 1;
	pthread_create(&t, NULL, hold, NULL);
	pthread_join(t, NULL);
	invisible_advance(&step);
	pthread_join(last, NULL);
	return x == 2 ? 0 : 1;
}
