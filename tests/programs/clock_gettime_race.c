/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* The time is written. */
#include <time.h>
#include "threads.h"

static struct timespec now;
static invisible_step_t step;

static void one(void)
{
	now.tv_nsec = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	clock_gettime(CLOCK_MONOTONIC, &now); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
