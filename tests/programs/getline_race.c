/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* getline writes its line and where that is. */
#include <stdio.h>
#include "threads.h"

static char *line;
static size_t room;
static invisible_step_t step;

static void one(void)
{
	line = NULL; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	FILE *file = fopen("/proc/self/stat", "r");
	if (getline(&line, &room, file) < 0) // race: b
		perror("getline");
	fclose(file);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
