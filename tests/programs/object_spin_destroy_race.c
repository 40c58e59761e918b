/* SPDX-License-Identifier: MIT */
/* A spin lock is destroyed by a thread that knows nothing of its last user. */
#include "threads.h"

static invisible_step_t step;
static pthread_spinlock_t s;

static void one(void)
{
	pthread_spin_lock(&s); // race: a
	pthread_spin_unlock(&s);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_spin_destroy(&s); // race: b
}

int main(void)
{
	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	run_threads(2, one, two);
	return 0;
}
