/* SPDX-License-Identifier: MIT */
/* A sequence lock around plain data: the reader may read while they are written. */
#include "threads.h"

static atomic_uint sequence;
int data, seen;
static invisible_step_t step;

static void one(void)
{
	atomic_fetch_add(&sequence, 1);
	data = 1; // race: a
	atomic_fetch_add(&sequence, 1);
	invisible_await(&step, 1);
	atomic_fetch_add(&sequence, 1);
	data = 2; // race: a
	atomic_fetch_add(&sequence, 1);
}

static void two(void)
{
	while (atomic_load(&sequence) != 2)
		;
	seen = data; // race: b
	invisible_advance(&step);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
