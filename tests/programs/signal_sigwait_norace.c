/* SPDX-License-Identifier: MIT */
/* A thread that waits for a signal comes after who sent it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

int x[3];
static sigset_t set;

static void *child(void *arg)
{
	struct timespec limit = {20, 0};
	siginfo_t info;
	int number;

	sigwait(&set, &number);
	x[0]++;
	sigwaitinfo(&set, &info);
	x[1]++;
	sigtimedwait(&set, &info, &limit);
	x[2]++;
	return arg;
}

int main(void)
{
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, child, NULL);
	for (int i = 0; i < 3; i++) {
		x[i] = 1;
		pthread_sigqueue(t, SIGRTMIN, (union sigval){.sival_int = i});
	}
	pthread_join(t, NULL);
	return x[0] + x[1] + x[2] != 6;
}
