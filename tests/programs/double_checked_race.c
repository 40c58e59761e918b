/* SPDX-License-Identifier: MIT */
/* Double-checked locking with a plain pointer: the first check is a race. */
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int object;
int *instance;
static invisible_step_t step;

static void one(void)
{
	pthread_mutex_lock(&m);
	if (!instance) {
		object = 42;
		instance = &object; // race: a
	}
	pthread_mutex_unlock(&m);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (!instance) // race: b
		_exit(1);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
