/* SPDX-License-Identifier: MIT */
// skip: dropin
// message: the first runner
// message: the second runner
// message: the only lane
/* Names for a thread, a lock and a variable in the report. */
#include "../../include/deadheat.h"
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data;
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_THREAD_NAME("the first runner");
	data = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	DEADHEAT_THREAD_NAME("the second runner");
	DEADHEAT_LOCK_NAME(&m, "the only lane");
	invisible_await(&step, 1);
	pthread_mutex_lock(&m);
	data++; // race: b
	pthread_mutex_unlock(&m);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
