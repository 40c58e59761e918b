/* SPDX-License-Identifier: MIT */
/* Who sets a timer comes before who reads from its descriptor that it has run out. */
#include <stdint.h>
#include <sys/timerfd.h>
#include "threads.h"

static int timer;
int told;

static void one(void)
{
	struct itimerspec soon = {.it_value.tv_nsec = 1};
	told = 1;
	timerfd_settime(timer, 0, &soon, NULL);
}

static void two(void)
{
	uint64_t times;
	if (read(timer, &times, sizeof times) == sizeof times)
		told = 2;
}

int main(void)
{
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	run_threads(2, one, two);
	return 0;
}
