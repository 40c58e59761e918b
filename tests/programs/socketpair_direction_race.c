/* SPDX-License-Identifier: MIT */
/* What is sent at one end says nothing to who receives at the same end. */
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2], data;
int seen;
static invisible_step_t step;

static void one(void)
{
	data = 1; // race: a
	if (send(ends[0], "x", 1, 0) != 1)
		_exit(1);
	invisible_advance(&step);
}

static void two(void)
{
	char c;
	invisible_await(&step, 1);
	if (recv(ends[0], &c, 1, 0) != 1)
		_exit(1);
	seen = data; // race: b
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || write(ends[1], "y", 1) != 1)
		return 1;
	run_threads(2, one, two);
	return 0;
}
