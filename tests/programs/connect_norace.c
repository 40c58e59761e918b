/* SPDX-License-Identifier: MIT */
/* Who asks for a connection comes before who accepts it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int listener, data;
int seen;
static struct sockaddr_in address;

static void one(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
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
	socklen_t size = sizeof address;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	run_threads(2, one, two);
	return 0;
}
