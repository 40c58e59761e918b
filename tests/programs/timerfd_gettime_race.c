/* SPDX-License-Identifier: MIT */
/* What is left of a timer is written where another thread writes too. */
#include <sys/timerfd.h>
#include "threads.h"

struct itimerspec left;
static invisible_step_t step;
static int timer;

static void one(void)
{
	timerfd_gettime(timer, &left); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	left.it_value.tv_sec = 0; // race: b
}

int main(void)
{
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	run_threads(2, one, two);
	return 0;
}
