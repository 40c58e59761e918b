/* SPDX-License-Identifier: MIT */
/* Who has joined a thread comes after all that it did. */
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
	pthread_join(t, NULL);
	x = 2;
	return 0;
}
