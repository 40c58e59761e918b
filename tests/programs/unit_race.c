/* SPDX-License-Identifier: MIT */
// skip: dropin
// run: --engine multirace
// message: these are parts of one variable
/* An array that is one unit: its elements are not told apart. */
#include "../../include/deadheat.h"
#include "threads.h"

static int a[100];
static invisible_step_t step;

static void one(void)
{
	a[1] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	a[90] = 2; // race: b
}

int main(void)
{
	DEADHEAT_UNIT(a, sizeof a, 0);
	run_threads(2, one, two);
	return 0;
}
