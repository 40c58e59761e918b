/* SPDX-License-Identifier: MIT */
/* The first write comes after the post. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static sem_t s;
static const struct timespec never = {1ll << 32, 0};

static void *one(void *arg)
{
	sem_post(&s);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	sem_timedwait(&s, &never);
	x = 2; // race: b
	return arg;
}

int main(void)
{
	pthread_t t[2];

	sem_init(&s, 0, 0);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
