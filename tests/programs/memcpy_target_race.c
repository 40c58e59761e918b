/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memcpy writes its target. */
#include <string.h>
#include "threads.h"

static char from[64], to[64];
static invisible_step_t step;

static void one(void)
{
	to[63] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memcpy(to, from, sizeof to); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
