/* SPDX-License-Identifier: MIT */
/* A thread comes after all that its creator did before. */
#include <pthread.h>

int x;

static void *child(void *arg)
{
	x = 2;
	return arg;
}

int main(void)
{
	pthread_t t;

	x = 1;
	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	return 0;
}
