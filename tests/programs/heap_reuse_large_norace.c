/* SPDX-License-Identifier: MIT */
/* The same for large blocks. */
#include <stdlib.h>
#include <string.h>
#include "threads.h"

enum { ROUNDS = 40, SIZE = 300000 };
static invisible_step_t step;

static void one(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		char *block = malloc(SIZE);
		memset(block, 1, SIZE);
		free(block);
	}
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	for (int i = 0; i < ROUNDS; i++) {
		char *block = malloc(SIZE);
		memset(block, 2, SIZE);
		free(block);
	}
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
