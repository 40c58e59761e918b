/* SPDX-License-Identifier: MIT */
/* A plain read and an atomic load: nobody writes. */
#include "threads.h"

int x;
int seen;
static invisible_step_t step;

static void one(void)
{
	seen = x;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	(void)__atomic_load_n(&x, __ATOMIC_SEQ_CST);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
