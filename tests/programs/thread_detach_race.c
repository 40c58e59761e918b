/* SPDX-License-Identifier: MIT */
/* Nobody is told that a detached thread is done. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	pthread_detach(t);
	invisible_await(&step, 1);
	x = 2; // race: b
	return 0;
}
