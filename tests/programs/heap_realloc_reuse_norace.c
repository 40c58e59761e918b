/* SPDX-License-Identifier: MIT */
/* A block that grows in place, into bytes that another thread once had and freed. */
#include <stdlib.h>
#include <string.h>
#include "threads.h"

enum { BLOCKS = 2000, FORMER = 256, AT_FIRST = 230, LATER = 246 };
static invisible_step_t step;
static char *blocks[BLOCKS];

static void one(void)
{
	char *former[BLOCKS];
	for (int i = 0; i < BLOCKS; i++)
		former[i] = malloc(FORMER);
	for (int i = 0; i < BLOCKS; i++)
		free(former[i]);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = realloc(malloc(AT_FIRST), LATER);
		memset(blocks[i], 1, LATER);
	}
	for (int i = 0; i < BLOCKS; i++)
		free(blocks[i]);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
