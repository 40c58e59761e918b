/* SPDX-License-Identifier: MIT */
/* The older functions for signals. */
// flags: -Wno-deprecated-declarations
// output: sysv 1 1
// output: hold 0 1
// output: interrupt 1 0
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t runs;

static void handler(int number)
{
	(void)number;
	runs++;
}

int main(void)
{
	struct sigaction a, b;

	sysv_signal(SIGUSR1, handler);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &a);
	printf("sysv %d %d\n", (int)runs, a.sa_handler == SIG_DFL);
	runs = 0;
	sigset(SIGUSR1, handler);
	sigset(SIGUSR1, SIG_HOLD);
	raise(SIGUSR1);
	printf("hold %d", (int)runs);
	sigset(SIGUSR1, handler);
	printf(" %d\n", (int)runs);
	signal(SIGUSR1, handler);
	sigaction(SIGUSR1, NULL, &a);
	siginterrupt(SIGUSR1, 1);
	signal(SIGUSR1, handler);
	sigaction(SIGUSR1, NULL, &b);
	printf("interrupt %d %d\n", !!(a.sa_flags & SA_RESTART), !!(b.sa_flags & SA_RESTART));
	return 0;
}
