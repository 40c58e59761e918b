/* SPDX-License-Identifier: MIT */
/* Nothing orders the making of a mutex and the first lock of it by another thread,
 * though the mutex itself does order what comes after. */
#include "threads.h"

static invisible_step_t step;
int x;
static pthread_mutex_t m;

static void one(void)
{
	pthread_mutex_init(&m, NULL); // race: a
	pthread_mutex_lock(&m);
	x = 1;
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	pthread_mutex_lock(&m); // race: b
	x = 2;
	pthread_mutex_unlock(&m);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
