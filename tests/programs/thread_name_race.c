// message: painter
/* SPDX-License-Identifier: MIT */
/* Reports call a thread by the name that it was given. */
#define _GNU_SOURCE
#include <pthread.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void *child(void *arg)
{
	pthread_setname_np(pthread_self(), "painter");
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
	return 0;
}
