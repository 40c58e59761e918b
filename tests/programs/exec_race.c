/* SPDX-License-Identifier: MIT */
/* What was found is written before another program takes the process over. */
// status: 7
#include <pthread.h>
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
	execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
	return 1;
}
