/* SPDX-License-Identifier: MIT */
/* A mutex is destroyed by a thread that knows nothing of the other one that has used
 * it. */
#include "threads.h"

static invisible_step_t step;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void one(void)
{
	pthread_mutex_lock(&m); // race: a
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_mutex_destroy(&m); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
