/* SPDX-License-Identifier: MIT */
/* Numbers of descriptors that go from thread to thread, each use before the close: by
 * what came through the descriptor itself, by a join, and with a number that is used
 * again by somebody else right after. */
#include <fcntl.h>
#include <unistd.h>
#include "threads.h"

static int pipes[2];

static void reads(void)
{
	char c;
	while (read(pipes[0], &c, 1) > 0)
		;
	close(pipes[0]);
}

static void writes(void)
{
	for (int i = 0; i < 20; i++)
		if (write(pipes[1], "x", 1) != 1)
			_exit(1);
	close(pipes[1]);
}

static void opens(void)
{
	for (int i = 0; i < 50; i++) {
		int fd = open("/dev/null", O_WRONLY);
		if (write(fd, "x", 1) != 1)
			_exit(2);
		close(fd);
	}
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		if (pipe(pipes))
			return 1;
		run_threads(5, reads, writes, opens, opens, opens);
	}
	return 0;
}
