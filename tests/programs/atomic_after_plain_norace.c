/* SPDX-License-Identifier: MIT */
/* A variable is set plainly, and from then on all threads use it atomically. It is
 * handed over under a lock. */
#include "threads.h"

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;
static int sum, flag;

static void one(void)
{
	sum = 1;
	flag = 1;
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	for (int i = 0; i < 2; i++)
		__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&flag, __ATOMIC_RELAXED) != 2)
		_exit(1);
}

int main(void)
{
	run_threads(2, one, two);
	return sum != 4;
}
