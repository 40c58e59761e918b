/* SPDX-License-Identifier: MIT */
/* What who asks for a connection does after it has got it has no order with who
 * accepts. */
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int listener;
int x;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void one(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		_exit(1);
	x = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	int fd = accept(listener, NULL, NULL);
	invisible_await(&step, 1);
	x = fd; // race: b
}

int main(void)
{
	snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "dh-connect-%d",
		 getpid());
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) ||
	    listen(listener, 1))
		return 1;
	run_threads(2, one, two);
	return 0;
}
