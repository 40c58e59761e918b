/* SPDX-License-Identifier: MIT */
/* A lock is made by one thread; the other reads under it, and has no order with the
 * making. */
#include "threads.h"

static invisible_step_t step;
static pthread_rwlock_t l;

static void one(void)
{
	pthread_rwlock_init(&l, NULL); // race: a
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_unlock(&l);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_rwlock_rdlock(&l); // race: b
	pthread_rwlock_unlock(&l);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
