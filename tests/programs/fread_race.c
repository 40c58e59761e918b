/* SPDX-License-Identifier: MIT */
/* fread writes what it got. */
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
	FILE *file = fopen("/dev/zero", "r");
	if (fread(buffer, 1, sizeof buffer, file) == 0) // race: b
		perror("fread");
	fclose(file);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
