/* SPDX-License-Identifier: MIT */
/* strtok keeps its place for all threads. */
#include <string.h>
#include "threads.h"

static char a[] = "a b", b[] = "c d";
static invisible_step_t step;

static void one(void)
{
	strtok(a, " "); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	strtok(b, " "); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
