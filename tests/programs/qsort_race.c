/* SPDX-License-Identifier: MIT */
/* Sorting writes the array. */
#include <stdlib.h>
#include "threads.h"

static int array[8] = {3, 1, 2};
int seen;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b; // race: b
}
static invisible_step_t step;

static void one(void)
{
	array[5] = 9; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	qsort(array, 8, sizeof *array, compare); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
