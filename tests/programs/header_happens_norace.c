/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Order that only the program knows of, told by annotations. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	DEADHEAT_HAPPENS_BEFORE(&step);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_HAPPENS_AFTER(&step);
	data++;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
