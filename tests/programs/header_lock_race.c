/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Writing under a lock that was taken for reading. */
#include "../../include/deadheat.h"
#include "threads.h"

static int word;
int data;
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_LOCKED(&word, 0);
	data = 1; // race: a
	DEADHEAT_UNLOCKING(&word, 0);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_LOCKED(&word, 0);
	data = 2; // race: b
	DEADHEAT_UNLOCKING(&word, 0);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
