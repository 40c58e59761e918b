/* SPDX-License-Identifier: MIT */
/* Signals with values, to a thread that is mostly within the runtime: none is lost, and
 * they come in their order. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { MANY = 500 };
static volatile sig_atomic_t runs, wrong;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	wrong |= info->si_value.sival_int != runs || info->si_code != SI_QUEUE;
	runs++;
}

static void *child(void *arg)
{
	while (runs < MANY) {
		void *volatile p = malloc(100);
		free(p);
	}
	return arg;
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	pthread_t t;

	sigaction(SIGRTMIN, &a, NULL);
	pthread_create(&t, NULL, child, NULL);
	for (int i = 0; i < MANY; i++)
		while (pthread_sigqueue(t, SIGRTMIN, (union sigval){.sival_int = i}) != 0)
			;
	pthread_join(t, NULL);
	return wrong;
}
