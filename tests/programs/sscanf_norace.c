/* SPDX-License-Identifier: MIT */
/* And leaves what it does not. */
#include <stdio.h>
#include "threads.h"

static int x, y;
static invisible_step_t step;

static void one(void)
{
	y = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	sscanf("1 two", "%d %d", &x, &y);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
