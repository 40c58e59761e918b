/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memmove writes its target, all of it. */
#include <string.h>
#include "threads.h"

static char text[100];
static invisible_step_t step;

static void one(void)
{
	text[50] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memmove(text + 1, text, 50); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
