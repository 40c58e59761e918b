/* SPDX-License-Identifier: MIT */
/* A pipe with a name orders nothing that its writer does after it has written and closed it:
 * the reader may have gone on by then. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "threads.h"

static char folder[] = "/tmp/fifo_XXXXXX", path[sizeof folder + 8];
int data;
static invisible_step_t written;

static void writer(void)
{
	int fd = open(path, O_WRONLY);

	if (write(fd, "x", 1) != 1)
		abort();
	close(fd);
	data = 1; // race: a
	invisible_advance(&written);
}

static void reader(void)
{
	int fd = open(path, O_RDONLY);
	char c;

	invisible_await(&written, 1);
	if (read(fd, &c, 1) != 1)
		abort();
	data = 2; // race: b
	close(fd);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof path, "%s/pipe", folder);
	if (mkfifo(path, 0600))
		return 1;
	run_threads(2, writer, reader);
	unlink(path);
	rmdir(folder);
	return 0;
}
