/* SPDX-License-Identifier: MIT */
/* A signal that the file does not tell of orders nothing. */
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "threads.h"

static int data, fd;
static invisible_step_t step;

static void one(void)
{
	kill(getpid(), SIGUSR1);
	data = 1; // race: a
	kill(getpid(), SIGUSR2);
	invisible_advance(&step);
}

static void two(void)
{
	struct signalfd_siginfo info;

	invisible_await(&step, 1);
	if (read(fd, &info, sizeof info) == sizeof info)
		data = 2; // race: b
}

int main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, 0);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	run_threads(2, one, two);
	return data == 0;
}
