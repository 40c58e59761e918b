/* SPDX-License-Identifier: MIT */
/* The time to join runs out: that orders nothing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step, tried;
static const struct timespec past = {1, 0};
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
	if (pthread_timedjoin_np(t, NULL, &past) != 0)
		x = 2; // race: b
	invisible_advance(&tried);
	pthread_join(t, NULL);
	return 0;
}
