/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Synchronisation that is an accident is not to count. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;

static void note(void)
{
	DEADHEAT_IGNORE_SYNC_BEGIN();
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	DEADHEAT_IGNORE_SYNC_END();
}

static void one(void)
{
	data = 1; // race: a
	note();
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	note();
	data++; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
