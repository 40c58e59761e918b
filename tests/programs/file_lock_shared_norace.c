/* SPDX-License-Identifier: MIT */
/* Readers of a file's lock come after its writers, and writers after its readers; also where a
 * lock for reading becomes one for writing, and the other way round. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>
#include "threads.h"

static char name[] = "/tmp/deadheat-lock-XXXXXX";
int whole, open_file;

static void change(int fd, int type)
{
	struct flock lock = {.l_type = (short)type};
	fcntl(fd, F_OFD_SETLKW, &lock);
}

static void both(void)
{
	int fd = open(name, O_RDWR), sum = 0;
	for (int i = 0; i < 20; i++) {
		flock(fd, LOCK_SH);
		sum += whole;
		flock(fd, LOCK_EX);
		whole++;
		flock(fd, LOCK_SH);
		sum += whole;
		flock(fd, LOCK_UN);
		change(fd, F_RDLCK);
		sum += open_file;
		change(fd, F_UNLCK);
		change(fd, F_WRLCK);
		open_file++;
		change(fd, F_RDLCK);
		sum += open_file;
		change(fd, F_UNLCK);
	}
	close(fd);
	(void)sum;
}

int main(void)
{
	close(mkstemp(name));
	run_threads(2, both, both);
	unlink(name);
	return 0;
}
