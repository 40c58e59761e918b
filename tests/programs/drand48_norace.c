/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* Random numbers whose state is the thread's own, or is used under a lock. */
#include <stdlib.h>
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	unsigned short own[3] = {1, 2, 3};
	erand48(own);
	nrand48(own);
	pthread_mutex_lock(&mutex);
	drand48();
	mrand48();
	pthread_mutex_unlock(&mutex);
}

int main(void)
{
	srand48(1);
	run_threads(2, work, work);
	return 0;
}
