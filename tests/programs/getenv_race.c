/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Looking into the environment while it is changed. */
#include <stdlib.h>
#include "threads.h"

const char *found;
static invisible_step_t step;

static void one(void)
{
	found = getenv("HOME"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	setenv("A", "b", 1); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
