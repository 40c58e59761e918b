/* SPDX-License-Identifier: MIT */
/* What a cancelled thread does to clean up is not ordered before its end. */
#include <pthread.h>
#include <unistd.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void clean_up(void *unused)
{
	(void)unused;
	x = 1; // race: a
	invisible_advance(&step);
}

static void *child(void *arg)
{
	pthread_cleanup_push(clean_up, NULL);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *value;

	pthread_create(&t, NULL, child, NULL);
	pthread_cancel(t);
	invisible_await(&step, 1);
	x = 2; // race: b
	pthread_join(t, &value);
	return value == PTHREAD_CANCELED ? 0 : 1;
}
