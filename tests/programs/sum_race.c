/* SPDX-License-Identifier: MIT */
/* A sum over part of an array, which a compiler may make a few large loads of. */
#include "threads.h"

static invisible_step_t step;
unsigned values[16], sum;

static void add_up(void)
{
	unsigned s = 0;

	for (int i = 0; i < 11; i++)
		s += values[i]; // race: a
	sum = s;
	invisible_advance(&step);
}

static void change(void)
{
	invisible_await(&step, 1);
	values[3] = 1; // race: b
}

int main(void)
{
	run_threads(2, add_up, change);
	return 0;
}
