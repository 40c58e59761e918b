/* SPDX-License-Identifier: MIT */
// flags: -latomic
/* A plain read of an object of three words that another thread stores atomically. */
#include "threads.h"

struct three {
	long a, b, c;
};

struct three shared;
static invisible_step_t step;

static void writer(void)
{
	struct three new = {1, 2, 3};

	__atomic_store(&shared, &new, __ATOMIC_RELEASE); // race: a
	invisible_advance(&step);
}

static void reader(void)
{
	invisible_await(&step, 1);
	if (shared.c != 3) // race: b
		_exit(1);
}

int main(void)
{
	run_threads(2, writer, reader);
	return 0;
}
