/* SPDX-License-Identifier: MIT */
/* A Unix socket that the server names from its folder, and the client from the root. */
#include <stdio.h>
#include <stdlib.h>
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
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		_exit(1);
	data = 1;
	if (send(fd, "x", 1, 0) != 1)
		_exit(2);
}

static void two(void)
{
	char c;
	if (recv(accept(listener, NULL, NULL), &c, 1, 0) != 1)
		_exit(3);
	seen = data;
}

int main(void)
{
	char folder[] = "/tmp/dh-connect-XXXXXX";
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	snprintf(address.sun_path, sizeof address.sun_path, "./at");
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) ||
	    listen(listener, 1))
		return 1;
	snprintf(address.sun_path, sizeof address.sun_path, "%s/at", folder);
	run_threads(2, one, two);
	unlink("at");
	rmdir(folder);
	return 0;
}
