/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* Who closes a descriptor has used it last, but knows nothing of another thread's use
 * before that. */
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
	if (write(fd, "y", 1) != 1)
		_exit(1);
	close(fd); // race: b
}

int main(void)
{
	fd = open("/dev/null", O_WRONLY);
	run_threads(2, one, two);
	return 0;
}
