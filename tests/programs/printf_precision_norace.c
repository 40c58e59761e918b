/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* As far as its precision says. */
#include <stdio.h>
#include "threads.h"

static char text[] = "abc";
static invisible_step_t step;

static void one(void)
{
	text[2] = 'x';
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	printf("%d %.*s\n", 1, 2, text);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
