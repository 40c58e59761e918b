/* SPDX-License-Identifier: MIT */
/* A handler runs on the stack that it asked for. */
#include <signal.h>
#include <stdlib.h>

enum { SIZE = 64 << 10 };
static char *stack;
static volatile sig_atomic_t inside, outside;

static void handler(int number)
{
	char here;

	if (&here >= stack && &here < stack + SIZE)
		inside++;
	else
		outside++;
	if (number == SIGUSR1)
		raise(SIGUSR2);
}

int main(void)
{
	struct sigaction on = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	struct sigaction off = {.sa_handler = handler};
	stack_t s = {.ss_size = SIZE};

	stack = s.ss_sp = malloc(SIZE);
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &on, NULL);
	sigaction(SIGUSR2, &off, NULL);
	raise(SIGUSR2);
	raise(SIGUSR1);
	return inside != 2 || outside != 1;
}
