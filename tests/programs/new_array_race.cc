/* SPDX-License-Identifier: MIT */
/* So does that of arrays. */
#include "threads.h"

static long *array;
static invisible_step_t step;

static void one(void)
{
	array[9] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	delete[] array; // race: b
}

int main(void)
{
	array = new long[10];
	run_threads(2, one, two);
	return 0;
}
