/* SPDX-License-Identifier: MIT */
// message: "file descriptor
/* What is copied may be closed at any moment: the copy could as well be of whatever has
 * got the number by then. */
#include <fcntl.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd, copy;

static void one(void)
{
	copy = dup(fd); // race: a
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
	close(copy);
	return 0;
}
