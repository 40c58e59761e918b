/* SPDX-License-Identifier: MIT */
/* A race in a handler that exit() calls: the program is watched to the end. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	invisible_await(&step, 1);
	x = 1; // race: a
	invisible_advance(&step);
	for (;;)
		invisible_await(&step, 3);
	return arg;
}

static void at_exit(void)
{
	invisible_advance(&step);
	invisible_await(&step, 2);
	x = 2; // race: b
}

int main(void)
{
	pthread_t t;

	atexit(at_exit);
	pthread_create(&t, NULL, child, NULL);
	return 0;
}
