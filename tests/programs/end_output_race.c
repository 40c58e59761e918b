/* SPDX-License-Identifier: MIT */
// output: first
// output: second
/* Whatever was printed before the end is written, in order, though the exit status is
 * changed; handlers of the program run before that. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void last(void)
{
	printf("second\n");
}

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	atexit(last);
	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	printf("first\n");
	return 0;
}
