/* SPDX-License-Identifier: MIT */
/* A handler and the code that it interrupts are one thread. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t runs;
int x, sink;

static void handler(int number)
{
	(void)number;
	x++;
	runs++;
}

int main(void)
{
	struct itimerval every = {{0, 200}, {0, 200}}, never = {0};

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (runs < 300) {
		int *p = malloc(sizeof *p);
		*p = x;
		sink += *p;
		free(p);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return x != runs;
}
