/* SPDX-License-Identifier: MIT */
/* A thread writes after it has registered a function for the end, which writes too. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void last(void)
{
	x = 2; // race: b
}

static void *child(void *arg)
{
	atexit(last);
	x = 1; // race: a
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
