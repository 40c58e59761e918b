/* SPDX-License-Identifier: MIT */
/* A new semaphore in the memory of an old one knows nothing of its posts. */
#include <pthread.h>
#include <semaphore.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static sem_t s;

static void *one(void *arg)
{
	x = 1; // race: a
	sem_post(&s);
	sem_destroy(&s);    // race: a
	sem_init(&s, 0, 1); // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	sem_wait(&s); // race: b
	x = 2;	      // race: b
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
