/* SPDX-License-Identifier: MIT */
/* Who reads from a pipe comes after who wrote into it. */
#include <unistd.h>
#include "threads.h"

static int ends[2];
static int data;
int seen;

static void one(void)
{
	data = 1;
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
}

static void two(void)
{
	char c;
	if (read(ends[0], &c, 1) != 1)
		_exit(1);
	seen = data;
}

int main(void)
{
	if (pipe(ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
