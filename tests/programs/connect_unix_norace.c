/* SPDX-License-Identifier: MIT */
/* Who asks for a connection through a path comes before who accepts it. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "threads.h"

static int listener, data;
int seen;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void one(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	data = 1;
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		_exit(1);
	close(fd);
}

static void two(void)
{
	int fd = accept(listener, NULL, NULL);
	seen = data;
	close(fd);
}

int main(void)
{
	snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dh-accept-%d",
		 getpid());
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) ||
	    listen(listener, 1))
		return 1;
	run_threads(2, one, two);
	return 0;
}
