/* SPDX-License-Identifier: MIT */
/* What was found is written before the program ends by abort(). */
// status: signal 6
#include <pthread.h>
#include <stdlib.h>
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
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, NULL);
	abort();
}
