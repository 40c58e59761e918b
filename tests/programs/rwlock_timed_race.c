/* SPDX-License-Identifier: MIT */
/* The second write comes before the lock is got. */
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec never = {1ll << 32, 0};

static void *one(void *arg)
{
	pthread_rwlock_timedwrlock(&l, &never);
	x = 1; // race: a
	pthread_rwlock_unlock(&l);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_rwlock_timedwrlock(&l, &never);
	pthread_rwlock_unlock(&l);
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
