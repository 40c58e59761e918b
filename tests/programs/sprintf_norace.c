/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* sprintf writes its text and the zero, no more. */
#include <stdio.h>
#include "threads.h"

static char text[8];
static invisible_step_t step;

static void one(void)
{
	text[4] = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	sprintf(text, "%d", 123);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
