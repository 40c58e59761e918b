/* SPDX-License-Identifier: MIT */
/* A thread that is detached from the start, on a small stack. */
#include <limits.h>
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
	pthread_create(&t, &a, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	return 0;
}
