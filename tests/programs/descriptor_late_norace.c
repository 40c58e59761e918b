/* SPDX-License-Identifier: MIT */
/* Writes that come after a close by another thread: to what has got the number since,
 * where nobody could see it; to a file that is open for reading only; and to the closed
 * descriptor, by who comes after the close. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int fd;

static void one(void)
{
	close(fd);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	for (int writable = 1; writable >= 0; writable--) {
		FILE *file = fopen("/dev/null", writable ? "w" : "r");
		if (fileno(file) != fd || write(fd, "x", 1) != (writable ? 1 : -1))
			_exit(1);
		fclose(file);
	}
}

int main(void)
{
	fd = open("/dev/null", O_WRONLY);
	run_threads(2, one, two);
	return write(fd, "x", 1) != -1 || errno != EBADF;
}
