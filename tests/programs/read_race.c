/* SPDX-License-Identifier: MIT */
/* read writes its buffer. */
#include <unistd.h>
#include "threads.h"

static char buffer[8];
static int ends[2];
static invisible_step_t step;

static void one(void)
{
	buffer[0] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (read(ends[0], buffer, 8) != 8) // race: b
		_exit(1);
}

int main(void)
{
	if (pipe(ends) || write(ends[1], "12345678", 8) != 8)
		return 1;
	run_threads(2, one, two);
	return 0;
}
