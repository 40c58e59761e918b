/* SPDX-License-Identifier: MIT */
/* Another pipe orders nothing, even if it got the number of one that did. */
#include <unistd.h>
#include "threads.h"

static int first[2], second[2], data;
int seen;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	if (write(first[1], "x", 1) != 1)
		_exit(1);
	invisible_advance(&step);
}

static void two(void)
{
	char c;
	invisible_await(&step, 1);
	if (dup2(second[0], first[0]) < 0 || read(first[0], &c, 1) != 1)
		_exit(1);
	seen = data; // race: b
}

int main(void)
{
	if (pipe(first) || pipe(second) || write(second[1], "y", 1) != 1)
		return 1;
	run_threads(2, one, two);
	return 0;
}
