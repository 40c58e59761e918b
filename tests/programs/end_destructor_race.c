/* SPDX-License-Identifier: MIT */
/* A race in a destructor of the program, which runs after all handlers of exit(). */
#include <pthread.h>
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

__attribute__((destructor)) static void last(void)
{
	invisible_advance(&step);
	invisible_await(&step, 2);
	x = 2; // race: b
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	return 0;
}
