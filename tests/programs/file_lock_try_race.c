/* SPDX-License-Identifier: MIT */
/* A lock of a file that is asked for in vain tells nobody anything. */
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
	invisible_await(&step, 1);
	x = 1; // race: a
	if (!flock(fd, LOCK_EX | LOCK_NB))
		_exit(1);
	invisible_advance(&step);
	invisible_await(&step, 3);
	close(fd);
}

static void two(void)
{
	int fd = open(name, O_RDWR);
	flock(fd, LOCK_EX);
	invisible_advance(&step);
	invisible_await(&step, 2);
	flock(fd, LOCK_UN);
	flock(fd, LOCK_EX);
	x = 2; // race: b
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
