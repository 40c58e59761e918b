/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memcpy reads its source. */
#include <string.h>
#include "threads.h"

static char from[64], to[64];
static invisible_step_t step;

static void one(void)
{
	memcpy(to, from, sizeof to); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	from[63] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
