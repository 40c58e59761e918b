/* SPDX-License-Identifier: MIT */
/* Joining in time is joining. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

int x;
static const struct timespec never = {1ll << 32, 0};

static void *child(void *arg)
{
	x = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, child, NULL);
	pthread_timedjoin_np(t, NULL, &never);
	x = 2;
	return 0;
}
