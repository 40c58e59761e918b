/* SPDX-License-Identifier: MIT */
/* A descriptor becomes a copy of another one while a thread may be reading it: there is
 * no moment at which its number stands for nothing. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fds[2];

static void one(void)
{
	char c;
	if (recv(fds[0], &c, 1, 0) != 1)
		_exit(1);
	invisible_advance(&step);
}

static void two(void)
{
	int null = open("/dev/null", O_RDONLY);
	invisible_await(&step, 1);
	dup2(null, fds[0]);
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) || send(fds[1], "x", 1, 0) != 1)
		return 1;
	run_threads(2, one, two);
	return 0;
}
