/* SPDX-License-Identifier: MIT */
/* A new lock in the memory of an old one knows nothing of what the old one carried. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_rwlock_t l;

static void *one(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x = 1; // race: a
	pthread_rwlock_unlock(&l);
	pthread_rwlock_destroy(&l);    // race: a
	pthread_rwlock_init(&l, NULL); // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_rwlock_wrlock(&l); // race: b
	x = 2;			   // race: b
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_rwlock_init(&l, NULL);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
