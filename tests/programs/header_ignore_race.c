/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Once the ignoring has ended, accesses count again. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_IGNORE_BEGIN();
	DEADHEAT_IGNORE_END();
	data = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	data++; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
