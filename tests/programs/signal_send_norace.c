/* SPDX-License-Identifier: MIT */
/* Who sends a signal comes before the handler's run. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x, got;

static void handler(int number)
{
	(void)number;
	got = x;
	invisible_advance(&step);
}

static void *child(void *arg)
{
	invisible_advance(&step);
	invisible_await(&step, 2);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 7;
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	return got != 7;
}
