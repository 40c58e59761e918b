/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* A descriptor is closed by a thread that knows nothing of the other one's write to it, of
 * several pieces. */
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd;

static void one(void)
{
	struct iovec v = {"x", 1};

	if (writev(fd, &v, 1) != 1) // race: a
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
