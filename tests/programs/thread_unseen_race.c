/* SPDX-License-Identifier: MIT */
/* The C library makes a thread for a timer, without a call that could be seen. What it
 * does in the program is watched all the same. */
#include <signal.h>
#include <time.h>
#include "invisible.h"

static invisible_step_t step;
int x;

static void tick(union sigval value)
{
	*(int *)value.sival_ptr = 1; // race: a
	invisible_advance(&step);
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD};
	struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
	timer_t timer;

	event.sigev_notify_function = tick;
	event.sigev_value.sival_ptr = &x;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	invisible_await(&step, 1);
	x = 2; // race: b
	return 0;
}
