/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Streams on a pipe do as the pipe does. */
#include <unistd.h>
#include <stdio.h>
#include "threads.h"

static int ends[2];
static int data;
int seen;

static void one(void)
{
	data = 1;
	FILE *file = fdopen(ends[1], "w");
	fputs("line\n", file);
	fflush(file);
}

static void two(void)
{
	FILE *file = fdopen(ends[0], "r");
	char line[10];
	if (!fgets(line, sizeof line, file))
		_exit(1);
	seen = data;
}

int main(void)
{
	if (pipe(ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
