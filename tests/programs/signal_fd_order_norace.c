/* SPDX-License-Identifier: MIT */
/* Who sends a signal comes before who reads it from a file, or hears of it from poll(). */
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "threads.h"

static int data, fd;

static void one(void)
{
	data = 1;
	kill(getpid(), SIGUSR1);
}

static void two(void)
{
	struct signalfd_siginfo info;
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	poll(&wait, 1, -1);
	data = 2;
	if (read(fd, &info, sizeof info) == sizeof info)
		data = 3;
}

int main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	fd = signalfd(-1, &set, 0);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signalfd(fd, &set, 0); /* the same file, of more signals */
	run_threads(2, one, two);
	return data == 0;
}
