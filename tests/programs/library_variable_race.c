/* SPDX-License-Identifier: MIT */
/* A variable of the C library that the linker has made room for in the program: it has its
 * own name, whatever the symbol is called there. */
// message: (observed) on stdout
// message: stdout is a global variable of 8 bytes
#include <stdio.h>
#include "threads.h"

static invisible_step_t step;

static void one(void)
{
	stdout = stderr; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	stdout = stderr; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
