/* SPDX-License-Identifier: MIT */
/* Trying to join succeeds at last: that is joining. */
#define _GNU_SOURCE
#include <pthread.h>

int x;

static void *child(void *arg)
{
	x = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	while (pthread_tryjoin_np(t, NULL) != 0)
		;
	x = 2;
	return 0;
}
