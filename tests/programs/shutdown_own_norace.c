/* SPDX-License-Identifier: MIT */
/* Who shuts a socket down comes before a thread that waits at the same end of it: for data, for
 * requests, for either, and to send. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 4 };

static int fds[WAYS], peers[WAYS], listener, why[WAYS];

static void *wait_for_data(void *arg)
{
	char c;

	while (read(fds[0], &c, 1) > 0)
		;
	why[0]++;
	return arg;
}

static void *wait_for_requests(void *arg)
{
	while (accept(listener, NULL, NULL) >= 0)
		;
	why[1]++;
	return arg;
}

static void *wait_for_either(void *arg)
{
	struct pollfd p = {fds[2], POLLIN, 0};

	poll(&p, 1, -1);
	why[2]++;
	return arg;
}

static void *send_all(void *arg)
{
	struct iovec v = {"x", 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	while (sendmsg(fds[3], &m, MSG_NOSIGNAL) > 0)
		;
	why[3]++;
	return arg;
}

int main(void)
{
	void *(*const ways[WAYS])(void *) = {wait_for_data, wait_for_requests, wait_for_either,
					     send_all};
	pthread_t threads[WAYS];
	int pair[2];

	listener = socket(AF_INET, SOCK_STREAM, 0);
	listen(listener, 4);
	for (int i = 0; i < WAYS; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		fds[i] = pair[0];
		peers[i] = pair[1];
		pthread_create(&threads[i], NULL, ways[i], NULL);
	}
	for (int i = 0; i < WAYS; i++) {
		why[i] = 1;
		shutdown(i == 1 ? listener : fds[i], SHUT_RDWR);
		pthread_join(threads[i], NULL);
		if (why[i] != 2)
			return 1;
	}
	return 0;
}
