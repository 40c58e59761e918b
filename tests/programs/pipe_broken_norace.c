/* SPDX-License-Identifier: MIT */
/* Who closes the end of a pipe that is read comes before who finds it closed by writing; and
 * so with a socket. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include "threads.h"

static int ends[2], peers[2];
int data[2];

static void one(void)
{
	data[0] = 1;
	close(ends[0]);
	data[1] = 1;
	shutdown(peers[0], SHUT_RD);
}

static void broken(int fd)
{
	while (write(fd, "a", 1) == 1)
		sched_yield();
	if (errno != EPIPE)
		_exit(3);
}

static void two(void)
{
	broken(ends[1]);
	data[0]++;
	broken(peers[1]);
	data[1]++;
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, peers))
		return 3;
	run_threads(2, one, two);
	return data[0] + data[1] != 4;
}
