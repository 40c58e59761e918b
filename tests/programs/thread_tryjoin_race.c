/* SPDX-License-Identifier: MIT */
/* Trying to join fails: that orders nothing. */
#define _GNU_SOURCE
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step, tried;
int x;

static void *child(void *arg)
{
	x = 1; // race: a
	invisible_advance(&step);
	invisible_await(&tried, 1);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	invisible_await(&step, 1);
	if (pthread_tryjoin_np(t, NULL) != 0)
		x = 2; // race: b
	invisible_advance(&tried);
	pthread_join(t, NULL);
	return 0;
}
