/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Accesses that are not to be looked at. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_IGNORE_BEGIN();
	DEADHEAT_IGNORE_BEGIN();
	DEADHEAT_IGNORE_END();
	data++;
	DEADHEAT_IGNORE_END();
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
