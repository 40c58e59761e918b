/* SPDX-License-Identifier: MIT */
/* A plain write and an atomic load. */
#include "threads.h"

int x;
int seen;
static invisible_step_t step;

static void one(void)
{
	x = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = __atomic_load_n(&x, __ATOMIC_SEQ_CST); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
