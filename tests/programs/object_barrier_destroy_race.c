/* SPDX-License-Identifier: MIT */
/* A barrier is destroyed by a thread that was not there when others met. */
#include "threads.h"

static invisible_step_t step;
static pthread_barrier_t b;

static void meet(void)
{
	pthread_barrier_wait(&b); // race: a
	invisible_advance(&step);
}

static void end(void)
{
	invisible_await(&step, 2);
	pthread_barrier_destroy(&b); // race: b
}

int main(void)
{
	pthread_barrier_init(&b, NULL, 2);
	run_threads(3, meet, meet, end);
	return 0;
}
