/* SPDX-License-Identifier: MIT */
/* Memory that comes from malloc again is fresh, whoever had it before. */
#include <stdlib.h>
#include <string.h>
#include "threads.h"

enum { BLOCKS = 5000, SIZE = 48 };
static invisible_step_t step;

static void one(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		char *block = malloc(SIZE);
		memset(block, 1, SIZE);
		free(block);
	}
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	char *blocks[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(SIZE);
		blocks[i][i % SIZE] = 2;
	}
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i]);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
