/* SPDX-License-Identifier: MIT */
/* A stream guards itself. */
#include <stdio.h>
#include "threads.h"

static FILE *file;
static invisible_step_t step;

static void one(void)
{
	for (int i = 0; i < 1000; i++)
		fprintf(file, "%d\n", i);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	for (int i = 0; i < 1000; i++)
		fputs("line\n", file);
}

int main(void)
{
	file = fopen("/dev/null", "w");
	run_threads(2, one, two);
	return 0;
}
