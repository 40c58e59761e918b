/* SPDX-License-Identifier: MIT */
/* A long copy out of a block meets a write of one byte somewhere in its middle. */
#include <stdlib.h>
#include <string.h>
#include "threads.h"

static invisible_step_t step;
char copy[512];
static char *block;

static void change(void)
{
	block[1571] = 1; // race: a
	invisible_advance(&step);
}

static void look(void)
{
	invisible_await(&step, 1);
	memcpy(copy, block + 1298, sizeof copy); // race: b
}

int main(void)
{
	block = malloc(5000);
	run_threads(2, change, look);
	free(block);
	return 0;
}
