/* SPDX-License-Identifier: MIT */
/* After a jump out of a handler the thread is watched as before. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
static sigjmp_buf out;
int x;

static void handler(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void *child(void *arg)
{
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(out, 1))
			*(volatile int *)8 = 1;
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	signal(SIGSEGV, handler);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
