/* SPDX-License-Identifier: MIT */
/* After a jump the accesses are those of the function that it led to. */
#include <pthread.h>
#include <setjmp.h>
#include "invisible.h"

static invisible_step_t step;
static jmp_buf out;
int x;

static __attribute__((noinline)) int deep(int depth)
{
	if (depth > 0)
		return deep(depth - 1) + 1;
	longjmp(out, 1);
}

static void *child(void *arg)
{
	if (!setjmp(out))
		deep(10);
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	return 0;
}
