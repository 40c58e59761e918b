/* SPDX-License-Identifier: MIT */
// skip: dropin
// run: --engine djit
/* Units of ten elements: threads that keep to their own do not race. */
#include "../../include/deadheat.h"
#include "threads.h"

static int a[100];
static invisible_step_t step;

static void one(void)
{
	for (int i = 10; i < 20; i++)
		a[i] = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	for (int i = 20; i < 30; i++)
		a[i] = 2;
}

int main(void)
{
	DEADHEAT_UNIT(a, sizeof a, 10 * sizeof *a);
	run_threads(2, one, two);
	return 0;
}
