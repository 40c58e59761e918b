/* SPDX-License-Identifier: MIT */
/* fwrite reads its buffer. */
#include <stdio.h>
#include "threads.h"

static char buffer[16];
static invisible_step_t step;

static void one(void)
{
	buffer[15] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	FILE *file = fopen("/dev/null", "w");
	fwrite(buffer, 1, sizeof buffer, file); // race: b
	fclose(file);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
