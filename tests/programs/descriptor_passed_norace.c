/* SPDX-License-Identifier: MIT */
/* A thread gets an event counter through a socket, and counts with it: under another
 * number, but it is the one that the main thread waits for. */
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static int ends[2];
static int data;

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
	data = 1;
	eventfd_write(counter, 1);
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
	data++;
	pthread_join(t, NULL);
	return data != 2;
}
