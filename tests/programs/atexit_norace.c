/* SPDX-License-Identifier: MIT */
/* Registering a function for the end comes before its run. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void last(void)
{
	x = 2;
}

static void *child(void *arg)
{
	x = 1;
	atexit(last);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	pthread_detach(t);
	invisible_await(&step, 1);
	return 0;
}
