/* SPDX-License-Identifier: MIT */
/* Calls that wait are interrupted by a handler, or go on after it, as it asked for. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include "invisible.h"

static invisible_step_t over;
static int ends[2];
static pthread_t waiter;

static void nothing(int number)
{
	(void)number;
}

static void feed(int number)
{
	(void)number;
	if (write(ends[1], "x", 1) != 1)
		_exit(3);
}

static void *child(void *until)
{
	while (__atomic_load_n(&over.value, __ATOMIC_RELAXED) < *(int *)until)
		pthread_kill(waiter, SIGUSR1);
	return NULL;
}

int main(void)
{
	struct sigaction a = {.sa_handler = nothing};
	int rounds[] = {1, 2, 3};
	pthread_t t;
	sigset_t none;
	char c;

	waiter = pthread_self();
	sigemptyset(&none);
	for (int i = 0; i < 3; i++) {
		if (pipe(ends) != 0)
			return 2;
		if (i == 2)
			a = (struct sigaction){.sa_handler = feed, .sa_flags = SA_RESTART};
		sigaction(SIGUSR1, &a, NULL);
		pthread_create(&t, NULL, child, &rounds[i]);
		int result = i == 0 ? (int)read(ends[0], &c, 1)
			     : i == 1 ? sigsuspend(&none)
				      : (int)read(ends[0], &c, 1) - 2;
		invisible_advance(&over);
		pthread_join(t, NULL);
		if (result != -1 || (i < 2 && errno != EINTR))
			return 1;
	}
	return 0;
}
