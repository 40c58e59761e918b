/* SPDX-License-Identifier: MIT */
/* Who hears from poll() that there is something to read comes after who wrote it, whatever it is
 * asked for, and where that is a request for a connection, a set of epoll's in another one, or a
 * queue of messages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2], connection[2], listener, inner, outer;
static mqd_t queue;
static struct sockaddr_in address = {.sin_family = AF_INET};
int by_kind, by_end, by_request, by_set, by_queue;

static void await(int fd, short events)
{
	struct pollfd wanted = {.fd = fd, .events = events};
	poll(&wanted, 1, -1);
}

static void put(int set, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

static void tell(void)
{
	by_kind = 1;
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
	by_end = 1;
	shutdown(connection[1], SHUT_WR);
	by_request = 1;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		_exit(1);
	close(fd);
}

static void hear(void)
{
	await(ends[0], POLLRDNORM);
	by_kind++;
	await(connection[0], POLLRDHUP);
	by_end++;
	await(listener, POLLIN);
	by_request++;
}

static void tell_set(void)
{
	by_set = 1;
	if (write(ends[1], "x", 1) != 1)
		_exit(1);
	by_queue = 1;
	if (queue >= 0 && mq_send(queue, "x", 1, 0))
		_exit(1);
}

static void hear_set(void)
{
	await(outer, POLLIN);
	by_set++;
	if (queue >= 0) {
		await(queue, POLLIN);
		by_queue++;
	}
}

int main(void)
{
	struct mq_attr few = {.mq_maxmsg = 1, .mq_msgsize = 8};
	socklen_t size = sizeof address;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, connection) ||
	    bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		return 1;
	run_threads(2, tell, hear);
	if (pipe(ends))
		return 1;
	inner = epoll_create1(0);
	outer = epoll_create1(0);
	put(inner, ends[0]);
	put(outer, inner);
	queue = mq_open("/deadheat-poll-kinds", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &few);
	mq_unlink("/deadheat-poll-kinds"); /* queues may not be had here */
	run_threads(2, tell_set, hear_set);
	return 0;
}
