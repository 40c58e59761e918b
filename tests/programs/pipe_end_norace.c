/* SPDX-License-Identifier: MIT */
/* So does who reads its end come after who closed it. */
#include <unistd.h>
#include "threads.h"

static int ends[2];
static int data;
int seen;

static void one(void)
{
	data = 1;
	close(ends[1]);
}

static void two(void)
{
	char c;
	if (read(ends[0], &c, 1) != 0)
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
