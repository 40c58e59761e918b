/* SPDX-License-Identifier: MIT */
/* Resizing is a write of the old block, also where it stays in place. */
#include <stdlib.h>
#include "threads.h"

static char *block;
int seen;
static invisible_step_t step;

static void one(void)
{
	seen = block[0]; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	block = realloc(block, 101); // race: b
}

int main(void)
{
	block = calloc(1, 100);
	run_threads(2, one, two);
	return 0;
}
