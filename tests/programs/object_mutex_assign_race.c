/* SPDX-License-Identifier: MIT */
/* A mutex that is made by an assignment, not by a call, while another thread locks
 * it. */
#include "threads.h"

static invisible_step_t step;
static pthread_mutex_t m;
static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

static void one(void)
{
	pthread_mutex_lock(&m); // race: a
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	m = fresh; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
