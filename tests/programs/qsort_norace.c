/* SPDX-License-Identifier: MIT */
/* Sorting side by side. */
#include <stdlib.h>
#include "threads.h"

static int array[16] = {3, 1, 2};

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static invisible_step_t step;

static void one(void)
{
	qsort(array, 8, sizeof *array, compare);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	qsort(array + 8, 8, sizeof *array, compare);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
