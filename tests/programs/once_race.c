/* SPDX-License-Identifier: MIT */
/* The second thread does not ask for the initialiser before it writes. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set(void)
{
	x = 1; // race: a
}

static void *one(void *arg)
{
	pthread_once(&once, set);
	invisible_advance(&step);
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_once(&once, set);
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
