/* SPDX-License-Identifier: MIT */
/* Who sets a timer comes before who gets its signal. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include "threads.h"

static sigset_t wanted;
static int kind;
int told;

static void one(void)
{
	struct itimerval soon = {.it_value.tv_usec = 1};
	struct itimerspec sooner = {.it_value.tv_nsec = 1};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;
	told = 1;
	if (kind == 0)
		setitimer(ITIMER_REAL, &soon, NULL);
	else if (timer_create(CLOCK_MONOTONIC, kind == 1 ? NULL : &event, &timer) == 0)
		timer_settime(timer, 0, &sooner, NULL);
}

static void two(void)
{
	int got;
	sigwait(&wanted, &got);
	told = got;
}

int main(void)
{
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGALRM);
	sigaddset(&wanted, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &wanted, NULL);
	for (kind = 0; kind < 3; kind++)
		run_threads(2, one, two);
	return 0;
}
