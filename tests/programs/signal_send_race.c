/* SPDX-License-Identifier: MIT */
/* What the sender does afterwards is not ordered with the handler. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void handler(int number)
{
	(void)number;
	x = 1; // race: a
	invisible_advance(&step);
}

static void *child(void *arg)
{
	invisible_advance(&step);
	invisible_await(&step, 3);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	pthread_kill(t, SIGUSR1);
	invisible_await(&step, 2);
	x = 2; // race: b
	invisible_advance(&step);
	pthread_join(t, NULL);
	return 0;
}
