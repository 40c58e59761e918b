/* SPDX-License-Identifier: MIT */
/* The creator writes after it has created the thread. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	x = 1; // race: a
	invisible_advance(&step);
	pthread_join(t, NULL);
	return 0;
}
