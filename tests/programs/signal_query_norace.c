/* SPDX-License-Identifier: MIT */
/* A program that asks for its handlers gets what it has installed. */
// flags: -Wno-deprecated-declarations
// output: sigaction 1 1 1 1
// output: default 1 1
// output: signal 1 1
// output: sigset 1 1
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

static void one(int number)
{
	(void)number;
}

static void two(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = two, .sa_flags = SA_SIGINFO | SA_NODEFER}, b;

	sigaddset(&a.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGUSR1, NULL, &b);
	printf("sigaction %d %d %d %d\n", b.sa_sigaction == two,
	       (b.sa_flags & (SA_SIGINFO | SA_NODEFER)) == (SA_SIGINFO | SA_NODEFER),
	       sigismember(&b.sa_mask, SIGUSR2), !sigismember(&b.sa_mask, SIGHUP));
	signal(SIGUSR1, SIG_DFL);
	sigaction(SIGUSR1, NULL, &b);
	printf("default %d %d\n", b.sa_handler == SIG_DFL, signal(SIGUSR1, one) == SIG_DFL);
	sigaction(SIGUSR1, NULL, &b);
	printf("signal %d %d\n", signal(SIGUSR1, SIG_IGN) == one, !(b.sa_flags & SA_SIGINFO));
	printf("sigset %d", sigset(SIGUSR1, one) == SIG_IGN);
	printf(" %d\n", sigset(SIGUSR1, SIG_HOLD) == one);
	return 0;
}
