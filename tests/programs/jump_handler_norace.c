/* SPDX-License-Identifier: MIT */
/* Jumps out of signal handlers, on the thread's own stack and on another. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

enum { MANY = 3000, SIZE = 64 << 10 };
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t jumps;

static __attribute__((noinline)) void deep(int depth)
{
	if (depth > 0)
		deep(depth - 1);
	siglongjmp(out, 1);
}

static void handler(int number)
{
	jumps++;
	deep(number == SIGUSR1 ? 3 : 300);
}

static void *child(void *arg)
{
	stack_t s = {.ss_size = SIZE, .ss_sp = malloc(SIZE)};

	sigaltstack(&s, NULL);
	for (volatile int i = 0; i < MANY; i++)
		if (!sigsetjmp(out, 1))
			raise(i % 2 ? SIGUSR1 : SIGUSR2);
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, NULL);
	free(s.ss_sp);
	return jumps == MANY ? arg : NULL;
}

int main(void)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	pthread_t t;
	void *good;

	sigaction(SIGUSR1, &a, NULL);
	a.sa_flags = 0;
	sigaction(SIGUSR2, &a, NULL);
	pthread_create(&t, NULL, child, &t);
	pthread_join(t, &good);
	return !good || !child(&t);
}
