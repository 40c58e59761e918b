/* SPDX-License-Identifier: MIT */
/* A barrier for two, three threads: the first meets the second, then the third. */
#include <pthread.h>
#include "invisible.h"

static pthread_barrier_t b;
static invisible_step_t step;
int x, y;

static void *host(void *arg)
{
	x = 1;
	pthread_barrier_wait(&b);
	invisible_advance(&step);
	y = 1;
	pthread_barrier_wait(&b);
	return arg;
}

static void *guest(void *arg)
{
	if (arg == &y)
		invisible_await(&step, 1);
	pthread_barrier_wait(&b);
	*(int *)arg = 2;
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_barrier_init(&b, NULL, 2);
	pthread_create(&t[0], NULL, host, NULL);
	pthread_create(&t[1], NULL, guest, &x);
	pthread_create(&t[2], NULL, guest, &y);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
