/* SPDX-License-Identifier: MIT */
/* A thread comes to a barrier that another one has made, and nothing says that it was
 * made before. */
#include "threads.h"

static invisible_step_t step;
static pthread_barrier_t b;

static void one(void)
{
	pthread_barrier_init(&b, NULL, 2); // race: a
	invisible_advance(&step);
	pthread_barrier_wait(&b);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_barrier_wait(&b); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	pthread_barrier_destroy(&b);
	return 0;
}
