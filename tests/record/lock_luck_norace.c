/* SPDX-License-Identifier: MIT */
/* MultiRace, Figure 8, with y under the lock, too. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_lock(&lock);
	y = 1;
	x = 2;
	pthread_mutex_unlock(&lock);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&lock);
	x = 3;
	y = 4;
	pthread_mutex_unlock(&lock);
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
