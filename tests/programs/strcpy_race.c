/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strcpy writes the zero at the end. */
#include <string.h>
#include "threads.h"

static char text[16];
static invisible_step_t step;

static void one(void)
{
	strcpy(text, "abc"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[3] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
