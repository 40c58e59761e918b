/* SPDX-License-Identifier: MIT */
/* The first access is ten million calls back: its stack is whole all the same. */
// message: in write_it
// message: in outer
// message: in one
#include "threads.h"

enum { CALLS = 10 * 1000 * 1000 };
static invisible_step_t step;
int x, y;

static __attribute__((noinline)) void write_it(int *p)
{
	*p = 1; // race: a
}

static __attribute__((noinline)) void outer(int *p)
{
	write_it(p);
	y++;
}

static void one(void)
{
	outer(&x);
	for (int i = 0; i < CALLS / 2; i++)
		outer(&y); /* two calls */
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	x = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
