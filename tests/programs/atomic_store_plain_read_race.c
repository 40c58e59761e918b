/* SPDX-License-Identifier: MIT */
/* An atomic store, then a plain read. */
#include "threads.h"

int x;
int seen;
static invisible_step_t step;

static void one(void)
{
	__atomic_store_n(&x, 1, __ATOMIC_RELEASE); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = x; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
