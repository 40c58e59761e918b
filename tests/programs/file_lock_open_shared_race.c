/* SPDX-License-Identifier: MIT */
/* Two threads have locked a file for reading, by what they have opened: neither keeps the other
 * out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "threads.h"

static char name[] = "/tmp/deadheat-lock-XXXXXX";
static invisible_step_t step;
int x;

static void hold(int fd, int type)
{
	struct flock lock = {.l_type = (short)type};
	fcntl(fd, F_OFD_SETLKW, &lock);
}

static void one(void)
{
	int fd = open(name, O_RDWR);
	hold(fd, F_RDLCK);
	x = 1; // race: a
	hold(fd, F_UNLCK);
	invisible_advance(&step);
	invisible_await(&step, 2);
	close(fd);
}

static void two(void)
{
	int fd = open(name, O_RDWR);
	invisible_await(&step, 1);
	hold(fd, F_RDLCK);
	x = 2; // race: b
	hold(fd, F_UNLCK);
	invisible_advance(&step);
	close(fd);
}

int main(void)
{
	close(mkstemp(name));
	run_threads(2, one, two);
	unlink(name);
	return 0;
}
