/* SPDX-License-Identifier: MIT */
/* Each thread has locked a file, but not the same one. */
#include <stdio.h>
#include <sys/file.h>
#include "threads.h"

static invisible_step_t step;
int x;

static void one(void)
{
	FILE *file = tmpfile();
	flock(fileno(file), LOCK_EX);
	x = 1; // race: a
	flock(fileno(file), LOCK_UN);
	invisible_advance(&step);
	invisible_await(&step, 2);
	fclose(file);
}

static void two(void)
{
	FILE *file = tmpfile();
	invisible_await(&step, 1);
	flock(fileno(file), LOCK_EX);
	x = 2; // race: b
	flock(fileno(file), LOCK_UN);
	invisible_advance(&step);
	fclose(file);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
