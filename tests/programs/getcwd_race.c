/* SPDX-License-Identifier: MIT */
/* getcwd writes the path. */
#include <unistd.h>
#include "threads.h"

static char path[4096];
static invisible_step_t step;

static void one(void)
{
	path[0] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (!getcwd(path, sizeof path)) // race: b
		_exit(1);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
