/* SPDX-License-Identifier: MIT */
/* A handler's accesses are its thread's: one that runs in the child races with main. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void handler(int number)
{
	(void)number;
	x = 1; // race: a
}

static void *child(void *arg)
{
	raise(SIGUSR1);
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
