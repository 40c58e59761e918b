/* SPDX-License-Identifier: MIT */
// skip: dropin
/* An annotation holds whatever is stored to an atomic at its address. */
#include "../../include/deadheat.h"
#include "threads.h"

int data;
static atomic_int x;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	DEADHEAT_HAPPENS_BEFORE(&x);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_HAPPENS_AFTER(&x);
	data++;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
