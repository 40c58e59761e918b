/* SPDX-License-Identifier: MIT */
/* A race in a handler whose own stack is of the size that was the usual one for long: what
 * tells of it has room, and the memory below stays as it is. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "invisible.h"

enum { USUAL = 8192, PAGE = 4096 };
static invisible_step_t step;
static volatile sig_atomic_t handled;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

static void handler(int number)
{
	x = number; // race: b
	handled++;
}

int main(void)
{
	struct sigaction on = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t s = {.ss_size = USUAL};
	pthread_t t;
	char *below = mmap(NULL, PAGE + USUAL, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(below, PAGE, PROT_NONE);
	s.ss_sp = below + PAGE;
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &on, NULL);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	raise(SIGUSR1);
	pthread_join(t, NULL);
	return !handled;
}
