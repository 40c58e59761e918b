/* SPDX-License-Identifier: MIT */
/* The last byte of one member of a union is that of another. */
#include "threads.h"

union {
	unsigned char bytes[8];
	short shorts[4];
} u;
static invisible_step_t step;
int seen;

static void one(void)
{
	u.shorts[3] = 7; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen = u.bytes[7]; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
