/* SPDX-License-Identifier: MIT */
// A program that wants to stay in memory runs as ever.
// output: locked
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static int *shared;

static void *work(void *arg)
{
	*shared = 1;
	return arg;
}

int main(void)
{
	pthread_t t;
	if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
		puts("locked");
	shared = malloc(sizeof *shared);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	*shared = 2;
	free(shared);
	return 0;
}
