/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memset writes. */
#include <string.h>
#include "threads.h"

static char bytes[100];
static invisible_step_t step;

static void one(void)
{
	memset(bytes, 1, 50); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memset(bytes + 49, 2, 50); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
