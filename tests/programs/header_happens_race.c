/* SPDX-License-Identifier: MIT */
// skip: dropin
/* The annotations are for different addresses. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static char other;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	DEADHEAT_HAPPENS_BEFORE(&step);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_HAPPENS_AFTER(&other);
	data++; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
