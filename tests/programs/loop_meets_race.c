/* SPDX-License-Identifier: MIT */
/* A loop over an array that finds the same in one element after the other, until it comes
 * to those that another thread has written. */
#include <pthread.h>
#include "invisible.h"

enum { N = 512, BOTH = 8 };

static invisible_step_t step;
static long a[N];

static void *upper(void *arg)
{
	for (int i = N / 2 - BOTH; i < N; i++)
		a[i] += 2; // race: a
	invisible_advance(&step);
	return arg;
}

static void *lower(void *arg)
{
	invisible_await(&step, 1);
	for (int i = 0; i < N / 2; i++)
		a[i] += 3; // race: b
	return arg;
}

static void *nothing(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[2], NULL, nothing, NULL);
	for (int i = 0; i < N; i++)
		a[i] = i;
	pthread_create(&t[0], NULL, upper, NULL);
	pthread_create(&t[1], NULL, lower, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
