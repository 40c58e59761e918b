/* SPDX-License-Identifier: MIT */
/* A pipe with a name: what goes in comes before who reads it out, also where the writer has
 * closed its end before the reader does anything with its own. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "threads.h"

static char folder[] = "/tmp/fifo_XXXXXX", path[sizeof folder + 8];
int data;
static invisible_step_t closed;

static void writer(void)
{
	int fd = open(path, O_WRONLY);

	data = 1;
	if (write(fd, "x", 1) != 1)
		abort();
	close(fd);
	invisible_advance(&closed);
}

static void reader(void)
{
	int fd = open(path, O_RDONLY);
	char c;

	invisible_await(&closed, 1);
	if (read(fd, &c, 1) != 1)
		abort();
	data = 2;
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
