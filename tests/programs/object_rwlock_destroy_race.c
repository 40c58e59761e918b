/* SPDX-License-Identifier: MIT */
/* A reader of a lock that another thread destroys. */
#include "threads.h"

static invisible_step_t step;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void one(void)
{
	pthread_rwlock_rdlock(&l); // race: a
	pthread_rwlock_unlock(&l);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_rwlock_destroy(&l); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
