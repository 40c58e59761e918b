/* SPDX-License-Identifier: MIT */
/* Who installs a handler comes before its runs, in threads that are older too. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x, got;

static void handler(int number)
{
	(void)number;
	got = x;
}

static void *child(void *arg)
{
	invisible_await(&step, 1);
	raise(SIGUSR1);
	return arg;
}

int main(void)
{
	struct sigaction a = {.sa_handler = handler};
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	x = 7;
	sigaction(SIGUSR1, &a, NULL);
	invisible_advance(&step);
	pthread_join(t, NULL);
	return got != 7;
}
