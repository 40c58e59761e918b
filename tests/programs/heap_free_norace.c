/* SPDX-License-Identifier: MIT */
/* A mutex orders the last use of a block and its end. */
#include <stdlib.h>
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int users = 2;

static void use(void)
{
	pthread_mutex_lock(&mutex);
	*block += 1;
	int left = --users;
	pthread_mutex_unlock(&mutex);
	if (!left)
		free(block);
}

int main(void)
{
	block = calloc(1, sizeof *block);
	run_threads(2, use, use);
	return 0;
}
