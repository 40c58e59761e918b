/* SPDX-License-Identifier: MIT */
/* After many threads one after the other, two that have places of earlier ones race. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *one(void *arg)
{
	if (arg) {
		x = 1; // race: a
		invisible_advance(&step);
	}
	return arg;
}

static void *two(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i <= 1000; i++) {
		pthread_create(&t[0], NULL, one, i == 1000 ? &x : NULL);
		if (i == 1000)
			pthread_create(&t[1], NULL, two, NULL);
		pthread_join(t[0], NULL);
	}
	pthread_join(t[1], NULL);
	return 0;
}
