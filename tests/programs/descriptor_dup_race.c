/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* A descriptor becomes a copy of another, and a thread that knows nothing of that closes
 * it: had it come first, the copy would be open still. */
#include <fcntl.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd, other;

static void one(void)
{
	if (dup2(other, fd) != fd) // race: a
		_exit(1);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	close(fd); // race: b
}

int main(void)
{
	fd = open("/dev/null", O_WRONLY);
	other = open("/dev/null", O_RDONLY);
	run_threads(2, one, two);
	close(other);
	return 0;
}
