/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* Reading a source together is no race, nor are targets side by side. */
#include <string.h>
#include "threads.h"

static char from[64], to[2][64];
static invisible_step_t step;

static void one(void)
{
	memcpy(to[0], from, sizeof from);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memcpy(to[1], from, sizeof from);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
