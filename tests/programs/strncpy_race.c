/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strncpy fills its target with zeros to the end. */
#include <string.h>
#include "threads.h"

static char text[16];
static invisible_step_t step;

static void one(void)
{
	strncpy(text, "abc", sizeof text); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[15] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
