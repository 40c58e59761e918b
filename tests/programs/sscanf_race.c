/* SPDX-License-Identifier: MIT */
/* sscanf writes what it assigns. */
#include <stdio.h>
#include "threads.h"

static int x, y;
static invisible_step_t step;

static void one(void)
{
	y = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	sscanf("1 2", "%d %d", &x, &y); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
