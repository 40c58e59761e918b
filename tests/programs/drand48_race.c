/* SPDX-License-Identifier: MIT */
// flags: -pthread
/* Random numbers whose state is the C library's, for all threads. */
#include <stdlib.h>
#include "threads.h"

static invisible_step_t step;

static void first(void)
{
	drand48(); // race: a
	invisible_advance(&step);
}

static void second(void)
{
	invisible_await(&step, 1);
	lrand48(); // race: b
}

int main(void)
{
	srand48(1);
	run_threads(2, first, second);
	return 0;
}
