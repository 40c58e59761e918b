/* SPDX-License-Identifier: MIT */
/* Signals that are read from a file never see a handler. */
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static volatile sig_atomic_t runs;

static void handler(int number)
{
	(void)number;
	runs++;
}

int main(void)
{
	struct signalfd_siginfo info;
	sigset_t set;

	signal(SIGUSR1, handler);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	kill(getpid(), SIGUSR1);
	if (read(fd, &info, sizeof info) != sizeof info || info.ssi_signo != SIGUSR1 || runs)
		return 1;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return runs != 0;
}
