/* SPDX-License-Identifier: MIT */
/* Threads one after the other: their names and places in the clocks are used again. */
#include <pthread.h>

int x;

static void *child(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	for (int i = 0; i < 5000; i++) {
		pthread_t t;

		pthread_create(&t, NULL, child, NULL);
		pthread_join(t, NULL);
	}
	if (x != 5000)
		return 1;
	return 0;
}
