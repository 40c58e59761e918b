/* SPDX-License-Identifier: MIT */
/* A connection to the address that a server listens at, which is that of every host:
 * what is sent over it, there and back, comes before what is read. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int listener, data;
static struct sockaddr_in address;

static void client(void)
{
	char byte = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		_exit(1);
	data = 1;
	if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1 || data != 2)
		_exit(1);
	close(fd);
}

static void server(void)
{
	char byte;
	int fd = accept(listener, NULL, NULL);
	if (read(fd, &byte, 1) != 1)
		_exit(1);
	data++;
	if (write(fd, &byte, 1) != 1)
		_exit(1);
	close(fd);
}

int main(void)
{
	socklen_t size = sizeof address;
	address.sin_family = AF_INET;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	run_threads(2, client, server);
	return 0;
}
