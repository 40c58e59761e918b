/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Changes of the environment are locked. */
#include <stdlib.h>
#include "threads.h"

static invisible_step_t step;

static void one(void)
{
	setenv("A", "b", 1);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	setenv("C", "d", 1);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
