/* SPDX-License-Identifier: MIT */
/* A datagram: who sends it comes before who receives it, also where the sender's socket is
 * closed before the receiver's was ever used. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "threads.h"

int data;
static int to;
static struct sockaddr_in address = {.sin_family = AF_INET};
static invisible_step_t closed;

static void sender(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	data = 1;
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof address) != 1)
		abort();
	close(fd);
	invisible_advance(&closed);
}

static void receiver(void)
{
	char c;

	invisible_await(&closed, 1);
	if (recv(to, &c, 1, 0) != 1)
		abort();
	data = 2;
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
