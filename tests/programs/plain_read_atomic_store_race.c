/* SPDX-License-Identifier: MIT */
/* A plain read and an atomic store. */
#include "threads.h"

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
	invisible_await(&step, 1);
	__atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
