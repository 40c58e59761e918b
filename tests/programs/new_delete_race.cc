/* SPDX-License-Identifier: MIT */
/* operator delete counts as a write. */
#include "threads.h"

static int *object;
static invisible_step_t step;

static void one(void)
{
	*object = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	delete object; // race: b
}

int main(void)
{
	object = new int(0);
	run_threads(2, one, two);
	return 0;
}
