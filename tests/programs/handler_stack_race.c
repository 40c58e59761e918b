/* SPDX-License-Identifier: MIT */
/* The stack of a handler goes on in the function whose call of the C library the signal has
 * interrupted. */
// message: in interrupted
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void handler(int number)
{
	x = number; // race: a
}

static void *child(void *arg)
{
	x = 1; // race: b
	invisible_advance(&step);
	return arg;
}

__attribute__((noinline)) static int interrupted(void)
{
	int wrong = raise(SIGUSR1);

	return wrong + 1;
}

int main(void)
{
	pthread_t t;
	int one;

	signal(SIGUSR1, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	one = interrupted();
	pthread_join(t, NULL);
	return one - 1;
}
