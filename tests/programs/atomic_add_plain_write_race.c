/* SPDX-License-Identifier: MIT */
/* An atomic addition, then a plain write. */
#include "threads.h"

int x;
int seen;
static invisible_step_t step;

static void one(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	x = 7; // race: b
	seen = 1;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
