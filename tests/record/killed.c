/* SPDX-License-Identifier: MIT */
/* Ends without a chance to say anything. */
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

static invisible_step_t step;
int x, last;

static void *one(void *arg)
{
	x = 1;
	*(int *)arg = x = 2;
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, one, &last);
	invisible_await(&step, 1);
	x = 3;
	last = 4;
	raise(SIGKILL);
	return 0;
}
