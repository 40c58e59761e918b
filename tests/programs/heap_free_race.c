/* SPDX-License-Identifier: MIT */
/* Freeing a block counts as writing it. */
#include <stdlib.h>
#include "threads.h"

static int *block;
static invisible_step_t step;

static void one(void)
{
	*block = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	free(block); // race: b
}

int main(void)
{
	block = malloc(sizeof *block);
	run_threads(2, one, two);
	return 0;
}
