/* SPDX-License-Identifier: MIT */
/* Two threads have locked a file for reading: neither keeps the other out. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include "threads.h"

static char name[] = "/tmp/deadheat-lock-XXXXXX";
static invisible_step_t step;
int x;

static void one(void)
{
	int fd = open(name, O_RDWR);
	flock(fd, LOCK_SH);
	x = 1; // race: a
	flock(fd, LOCK_UN);
	invisible_advance(&step);
	invisible_await(&step, 2);
	close(fd);
}

static void two(void)
{
	int fd = open(name, O_RDWR);
	invisible_await(&step, 1);
	flock(fd, LOCK_SH);
	x = 2; // race: b
	flock(fd, LOCK_UN);
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
