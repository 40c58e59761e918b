/* SPDX-License-Identifier: MIT */
/* The main thread ends by pthread_exit(), and another one joins it. */
#include <pthread.h>
#include <stdlib.h>

static pthread_t first;
int x;

static void *child(void *arg)
{
	pthread_join(first, NULL);
	x = 2;
	exit(0);
	return arg;
}

int main(void)
{
	pthread_t t;

	first = pthread_self();
	pthread_create(&t, NULL, child, NULL);
	x = 1;
	pthread_exit(NULL);
}
