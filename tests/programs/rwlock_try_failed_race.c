/* SPDX-License-Identifier: MIT */
/* Trying for the lock fails: that orders nothing. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static invisible_step_t tried;

static void *one(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x = 1; // race: a
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	invisible_advance(&step);
	invisible_await(&tried, 1);
	pthread_rwlock_unlock(&l);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	if (pthread_rwlock_tryrdlock(&l) != 0)
		x = 2; // race: b
	invisible_advance(&tried);
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
