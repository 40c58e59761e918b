/* SPDX-License-Identifier: MIT */
/* A thread gets an event counter through a socket, and counts with it too early: what it
 * does then the main thread has not waited for. */
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include "invisible.h"

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int ends[2];
static int data;
static invisible_step_t step;

static struct msghdr message(struct iovec *byte, union control *c)
{
	return (struct msghdr){.msg_iov = byte,
			       .msg_iovlen = 1,
			       .msg_control = c,
			       .msg_controllen = sizeof *c};
}

static void *count(void *arg)
{
	char x;
	int counter;
	union control c;
	struct msghdr m = message(&(struct iovec){&x, 1}, &c);

	if (recvmsg(ends[1], &m, 0) != 1)
		return arg;
	memcpy(&counter, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof counter);
	eventfd_write(counter, 1);
	data = 1; // race: a
	invisible_advance(&step);
	return arg;
}

int main(void)
{
	pthread_t t;
	eventfd_t got;
	int counter = eventfd(0, 0);
	union control c = {.head = {CMSG_LEN(sizeof counter), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr m = message(&(struct iovec){"x", 1}, &c);

	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &counter, sizeof counter);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	pthread_create(&t, NULL, count, NULL);
	sendmsg(ends[0], &m, 0);
	eventfd_read(counter, &got);
	invisible_await(&step, 1);
	data++; // race: b
	pthread_join(t, NULL);
	return 0;
}
