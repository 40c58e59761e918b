/* SPDX-License-Identifier: MIT */
// skip: dropin
/* The ranges that are told do not overlap. */
#include "../../include/deadheat.h"
#include "threads.h"

static char buffer[64];
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_WRITE(buffer + 10, 20);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_READ(buffer + 30, 4);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
