/* SPDX-License-Identifier: MIT */
// skip: dropin
/* An allocator of the program's own gives the same block to two threads in turn,
 * and says so. */
#include "../../include/deadheat.h"
#include "threads.h"

static int block[4];
static invisible_step_t step;

static void use(int turn)
{
	invisible_await(&step, turn);
	DEADHEAT_NEW_MEMORY(block, sizeof block);
	block[0] = turn;
	block[3] = turn;
	invisible_advance(&step);
}

static void one(void)
{
	use(0);
}

static void two(void)
{
	use(1);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
