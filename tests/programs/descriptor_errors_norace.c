/* SPDX-License-Identifier: MIT */
/* Who closes one end of a connection comes before who hears of it at the other by an error: in
 * vain sent in several ways, and received, where what had been sent was never read. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 5 };

static int fds[WAYS], peers[WAYS], done[WAYS];
static struct iovec text = {"x", 1};

static ssize_t by_message(int fd)
{
	struct msghdr m = {.msg_iov = &text, .msg_iovlen = 1};

	return sendmsg(fd, &m, MSG_NOSIGNAL);
}

static ssize_t by_messages(int fd)
{
	struct mmsghdr m = {.msg_hdr = {.msg_iov = &text, .msg_iovlen = 1}};

	return sendmmsg(fd, &m, 1, MSG_NOSIGNAL);
}

static ssize_t by_address(int fd)
{
	return sendto(fd, "x", 1, MSG_NOSIGNAL, NULL, 0);
}

static ssize_t by_pieces(int fd)
{
	return writev(fd, &text, 1);
}

static ssize_t by_reading(int fd)
{
	char c;

	return recv(fd, &c, 1, 0);
}

static ssize_t (*const ways[WAYS])(int) = {by_message, by_messages, by_address, by_pieces,
					   by_reading};

static void *try(void *arg)
{
	int way = *(int *)arg;

	while (ways[way](fds[way]) >= 0)
		;
	done[way]++;
	return NULL;
}

int main(void)
{
	static const int numbers[WAYS] = {0, 1, 2, 3, 4};
	pthread_t threads[WAYS];
	int pair[2];

	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < WAYS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		fds[i] = pair[0];
		peers[i] = pair[1];
		if (ways[i] == by_reading && write(fds[i], "x", 1) != 1)
			return 1;
		pthread_create(&threads[i], NULL, try, (void *)&numbers[i]);
	}
	for (int i = 0; i < WAYS; i++) {
		done[i] = 1;
		close(peers[i]);
		pthread_join(threads[i], NULL);
		if (done[i] != 2)
			return 1;
	}
	return 0;
}
