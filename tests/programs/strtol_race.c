/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strtol reads the number and what ends it. */
#include <stdlib.h>
#include "threads.h"

static char text[] = "123x";
long value;
static invisible_step_t step;

static void one(void)
{
	value = strtol(text, NULL, 10); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[3] = '4'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
