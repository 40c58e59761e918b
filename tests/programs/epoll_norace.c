/* SPDX-License-Identifier: MIT */
/* What is put into an epoll set is found by who waits for it. */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "threads.h"

static int set, ends[2];
int seen;

static void one(void)
{
	int *data = malloc(sizeof *data);
	*data = 1;
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
}

static void two(void)
{
	struct epoll_event event;
	while (epoll_wait(set, &event, 1, -1) != 1)
		;
	seen = *(int *)event.data.ptr;
	free(event.data.ptr);
}

int main(void)
{
	set = epoll_create1(0);
	if (pipe(ends) || write(ends[1], "x", 1) != 1)
		return 1;
	run_threads(2, one, two);
	return 0;
}
