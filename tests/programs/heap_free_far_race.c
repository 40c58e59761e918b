/* SPDX-License-Identifier: MIT */
/* All of a large block is looked at when it is freed, its far end too. */
#include <stdlib.h>
#include "threads.h"

enum { SIZE = 1 << 20 };
static char *block;
static invisible_step_t step;

static void one(void)
{
	block[SIZE - 1] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	free(block); // race: b
}

int main(void)
{
	block = malloc(SIZE);
	run_threads(2, one, two);
	return 0;
}
