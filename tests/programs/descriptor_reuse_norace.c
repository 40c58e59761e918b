/* SPDX-License-Identifier: MIT */
/* A descriptor's number is given out again only once it was given back: a table by
 * number, as servers have it, needs no lock. */
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2];
int table[64];
static invisible_step_t step;

static void one(void)
{
	char c = 'x';
	if (write(ends[0], &c, 1) != 1)
		_exit(1);
	table[ends[0]] = 1;
	close(ends[0]);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd != ends[0])
		_exit(1);
	table[fd] = 2;
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
