/* SPDX-License-Identifier: MIT */
/* All callers come after the initialiser, whoever ran it. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set(void)
{
	x = 1;
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
	pthread_once(&once, set);
	x++;
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
