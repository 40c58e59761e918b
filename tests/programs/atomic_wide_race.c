/* SPDX-License-Identifier: MIT */
// flags: -mcx16
/* A sixteen-byte atomic and a plain write to its second half. */
#include "threads.h"

__extension__ typedef unsigned __int128 wide;
static union {
	wide whole;
	long half[2];
} x;
static invisible_step_t step;

static void one(void)
{
	__atomic_fetch_add(&x.whole, 1, __ATOMIC_SEQ_CST); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	x.half[1] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
