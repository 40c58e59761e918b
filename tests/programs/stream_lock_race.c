/* SPDX-License-Identifier: MIT */
/* Two streams have two locks. */
#include <stdio.h>
#include "threads.h"

int x;
static invisible_step_t step;

static void one(void)
{
	flockfile(stdout);
	x = 1; // race: a
	funlockfile(stdout);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	flockfile(stderr);
	x = 2; // race: b
	funlockfile(stderr);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
