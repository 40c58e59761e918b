/* SPDX-License-Identifier: MIT */
/* fgets writes no more than the line. */
#include <stdio.h>
#include "threads.h"

static char buffer[64];
static invisible_step_t step;

static void one(void)
{
	buffer[63] = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	char line[] = "short\n";
	FILE *file = fmemopen(line, sizeof line, "r");
	if (!fgets(buffer, sizeof buffer, file))
		perror("fgets");
	fclose(file);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
