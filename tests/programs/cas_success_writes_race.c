/* SPDX-License-Identifier: MIT */
/* A compare-exchange that succeeds is a write. */
#include "threads.h"

enum { RELAXED = __ATOMIC_RELAXED };

int x;
int seen;
static invisible_step_t step;

static void one(void)
{
	seen = x; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	int expected = 0;

	invisible_await(&step, 1);
	__atomic_compare_exchange_n(&x, &expected, 6, 0, RELAXED, RELAXED); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
