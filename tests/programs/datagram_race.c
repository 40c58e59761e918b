/* SPDX-License-Identifier: MIT */
/* A datagram orders nothing that its sender does after it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "threads.h"

int data;
static int to;
static struct sockaddr_in address = {.sin_family = AF_INET};
static invisible_step_t sent;

static void sender(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address) != 1)
		abort();
	close(fd);
	data = 1; // race: a
	invisible_advance(&sent);
}

static void receiver(void)
{
	char c;

	invisible_await(&sent, 1);
	if (recv(to, &c, 1, 0) != 1)
		abort();
	data = 2; // race: b
}

int main(void)
{
	socklen_t size = sizeof address;

	to = socket(AF_INET, SOCK_DGRAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(to, (struct sockaddr *)&address, size) ||
	    getsockname(to, (struct sockaddr *)&address, &size))
		return 1;
	run_threads(2, sender, receiver);
	close(to);
	return 0;
}
