/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* A write comes too late, because nothing orders it with the close: this time nothing had
 * the number in the meantime. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd;

static void one(void)
{
	close(fd); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (write(fd, "x", 1) != -1 || errno != EBADF) // race: b
		_exit(1);
}

int main(void)
{
	fd = open("/dev/null", O_WRONLY);
	run_threads(2, one, two);
	return 0;
}
