/* SPDX-License-Identifier: MIT */
/* A new mutex in the memory of an old one knows nothing of what the old one carried. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1; // race: a
	pthread_mutex_unlock(&m);
	pthread_mutex_destroy(&m);    // race: a
	pthread_mutex_init(&m, NULL); // race: a
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m); // race: b
	x = 2;			// race: b
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_mutex_init(&m, NULL);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
