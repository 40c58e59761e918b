/* SPDX-License-Identifier: MIT */
// flags: -Wno-use-after-free
/* A freed block that is used by another thread without order. */
#include <stdlib.h>
#include "threads.h"

static int *block;
int seen;
static invisible_step_t step;

static void one(void)
{
	free(block); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = *block; // race: b
}

int main(void)
{
	block = malloc(sizeof *block);
	*block = 1;
	run_threads(2, one, two);
	return 0;
}
