/* SPDX-License-Identifier: MIT */
/* The flags of a handler mean what they mean without us. */
// output: reset 1 1
// output: nodefer 3
// output: defer 1 2
// output: mask 1 2
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t depth, deepest, runs;

static void nest(int number)
{
	if (++depth > deepest)
		deepest = depth;
	if (++runs < 3)
		raise(number);
	depth--;
}

static void other(int number)
{
	raise(number == SIGUSR1 ? SIGUSR2 : SIGUSR1);
	nest(number);
}

static void install(int number, void (*f)(int), int flags, int masked)
{
	struct sigaction a = {.sa_handler = f, .sa_flags = flags};

	if (masked)
		sigaddset(&a.sa_mask, masked);
	sigaction(number, &a, NULL);
	depth = deepest = runs = 0;
}

int main(void)
{
	struct sigaction a;

	install(SIGUSR1, nest, SA_RESETHAND, 0);
	runs = 2;
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &a);
	printf("reset %d %d\n", (int)deepest, a.sa_handler == SIG_DFL);
	install(SIGUSR1, nest, SA_NODEFER, 0);
	raise(SIGUSR1);
	printf("nodefer %d\n", (int)deepest);
	install(SIGUSR1, nest, 0, 0);
	runs = 1;
	raise(SIGUSR1);
	printf("defer %d %d\n", (int)deepest, (int)runs - 1);
	install(SIGUSR2, nest, 0, 0);
	install(SIGUSR1, other, 0, SIGUSR2);
	runs = 3;
	raise(SIGUSR1);
	printf("mask %d %d\n", (int)deepest, (int)runs - 3);
	return 0;
}
