/* SPDX-License-Identifier: MIT */
/* The first thread dies with the mutex held. The second does not ask for it before it
 * writes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	if (pthread_mutex_lock(&m) == EOWNERDEAD)
		pthread_mutex_consistent(&m);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &a);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
