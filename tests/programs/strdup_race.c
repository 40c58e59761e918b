/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strdup reads, and what it made is a heap block. */
#include <stdlib.h>
#include <string.h>
#include "threads.h"

static char text[] = "abc";
static char *copy;
static invisible_step_t step;

static void one(void)
{
	copy = strdup(text); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[1] = 'x'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
