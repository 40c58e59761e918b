/* SPDX-License-Identifier: MIT */
/* The first thread unlocks before it has done anything. What it does later is not
 * covered by that. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	x = 2; // race: b
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
