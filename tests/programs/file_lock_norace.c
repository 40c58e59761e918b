/* SPDX-License-Identifier: MIT */
/* Locks of a file that was opened twice: flock(), those of an open file, and one that ends
 * when the file is closed. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include "threads.h"

static char name[] = "/tmp/deadheat-lock-XXXXXX";
int whole, open_file, until_closed;

static void both(void)
{
	for (int i = 0; i < 20; i++) {
		struct flock lock = {.l_type = F_WRLCK};
		int fd = open(name, O_RDWR);
		flock(fd, LOCK_EX);
		whole++;
		flock(fd, LOCK_UN);
		fcntl(fd, F_OFD_SETLKW, &lock);
		open_file++;
		lock.l_type = F_UNLCK;
		fcntl(fd, F_OFD_SETLK, &lock);
		flock(fd, LOCK_EX);
		until_closed++;
		close(fd);
	}
}

int main(void)
{
	close(mkstemp(name));
	run_threads(2, both, both);
	unlink(name);
	return 0;
}
