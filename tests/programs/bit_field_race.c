/* SPDX-License-Identifier: MIT */
/* Two bit-fields in one byte are one memory location. */
#include "threads.h"

struct {
	unsigned a : 3;
	unsigned b : 5;
} flags;
static invisible_step_t step;

static void one(void)
{
	flags.a = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	flags.b = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
