/* SPDX-License-Identifier: MIT */
/* A thread is joined by another, and that one by the main thread. */
#include <pthread.h>

int x;
static pthread_t first;

static void *join_first(void *arg)
{
	pthread_join(first, NULL);
	return arg;
}

static void *child(void *arg)
{
	x = 1;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&first, NULL, child, NULL);
	pthread_create(&t, NULL, join_first, NULL);
	pthread_join(t, NULL);
	x = 2;
	return 0;
}
