/* SPDX-License-Identifier: MIT */
/* Who still writes to the entry of a descriptor after closing it races with whoever is
 * given the number next. */
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
	close(ends[0]);
	table[ends[0]] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd != ends[0])
		_exit(1);
	table[fd] = 2; // race: b
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
