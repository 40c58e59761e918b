/* SPDX-License-Identifier: MIT */
/* The program ends by quick_exit(): the race is told. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	for (;;)
		invisible_await(&step, 2);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	quick_exit(0);
}
