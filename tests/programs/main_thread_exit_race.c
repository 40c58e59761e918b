/* SPDX-License-Identifier: MIT */
/* The main thread ends by pthread_exit(); another one writes before it joins it. */
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static invisible_step_t step;
static pthread_t first;
int x;

static void *child(void *arg)
{
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(first, NULL);
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t t;

	first = pthread_self();
	pthread_create(&t, NULL, child, NULL);
	x = 1; // race: a
	invisible_advance(&step);
	pthread_exit(NULL);
}
