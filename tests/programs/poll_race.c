/* SPDX-License-Identifier: MIT */
/* poll writes what happened into its array. */
#include <unistd.h>
#include <poll.h>
#include "threads.h"

static struct pollfd set;
static int ends[2];
static invisible_step_t step;

static void one(void)
{
	set.revents = 0; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	poll(&set, 1, 0); // race: b
}

int main(void)
{
	if (pipe(ends))
		return 1;
	set.fd = ends[0];
	run_threads(2, one, two);
	return 0;
}
