/* SPDX-License-Identifier: MIT */
/* A thread that ends by pthread_exit() is not waited for. */
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	pthread_exit(NULL);
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
