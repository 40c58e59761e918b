/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* A descriptor is closed by a thread that knows nothing of the other one's write to it:
 * the write could as well come after, to whatever has got the number by then. */
#include <fcntl.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd;

static void one(void)
{
	if (write(fd, "x", 1) != 1) // race: a
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
	run_threads(2, one, two);
	return 0;
}
