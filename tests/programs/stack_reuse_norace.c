/* SPDX-License-Identifier: MIT */
/* The stack of a thread that has ended is given to another one. */
#include <string.h>
#include "threads.h"

static invisible_step_t ended;

static void *child(void *arg)
{
	volatile char frame[5000];
	for (unsigned i = 0; i < sizeof frame; i++)
		frame[i] = 1;
	return arg;
}

static void *parent(void *arg)
{
	pthread_t thread;
	pthread_create(&thread, NULL, child, NULL);
	pthread_join(thread, NULL);
	invisible_advance(&ended);
	return arg;
}

/* The second comes after the first in time only. */
int main(void)
{
	pthread_t threads[10];
	for (int i = 0; i < 10; i++) {
		pthread_create(&threads[i], NULL, parent, NULL);
		invisible_await(&ended, i + 1);
	}
	for (int i = 0; i < 10; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
