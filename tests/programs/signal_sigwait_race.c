/* SPDX-License-Identifier: MIT */
/* A thread that waits for a signal is not ordered with what the sender does later. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
static sigset_t set;
int x;

static void *child(void *arg)
{
	int number;

	sigwait(&set, &number);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, child, NULL);
	kill(getpid(), SIGUSR1);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
