/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* The text of %s is read. */
#include <stdio.h>
#include "threads.h"

static char text[] = "abc";
static invisible_step_t step;

static void one(void)
{
	text[1] = 'x'; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	printf("%d %s\n", 1, text); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
