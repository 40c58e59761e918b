/* SPDX-License-Identifier: MIT */
/* A message from one end of a connection to the other. */
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2];
static int data;
int seen;

static void one(void)
{
	data = 1;
	if (send(ends[0], "x", 1, 0) != 1)
		_exit(1);
}

static void two(void)
{
	char c;
	if (recv(ends[1], &c, 1, 0) != 1)
		_exit(1);
	seen = data;
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	run_threads(2, one, two);
	return 0;
}
