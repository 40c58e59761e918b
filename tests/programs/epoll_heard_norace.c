/* SPDX-License-Identifier: MIT */
/* Who hears from an epoll set that there is something to read comes after who wrote it,
 * though nothing is read: of two descriptors with one word each, and of two that share
 * theirs. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "threads.h"

static int set, counter[3], copy;
int told[3];

static void writer(int i)
{
	uint64_t one = 1;
	told[i] = 1;
	if (write(counter[i], &one, sizeof one) != sizeof one)
		_exit(1);
}

static void one(void)
{
	for (int i = 0; i < 3; i++)
		writer(i);
}

static void two(void)
{
	struct epoll_event events[3];
	for (int heard = 0; heard < 3;) {
		int n = epoll_wait(copy, events, 3, -1);
		for (int i = 0; i < n; i++, heard++)
			if (events[i].data.u32 == 7)
				told[0] = 2;
	}
	told[1] = told[2] = 2;
	close(counter[0]);
}

int main(void)
{
	set = epoll_create1(0);
	copy = dup(set);
	for (int i = 0; i < 3; i++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLET};
		event.data.u32 = i ? 8 : 7;
		counter[i] = eventfd(0, 0);
		epoll_ctl(set, EPOLL_CTL_ADD, counter[i], &event);
	}
	run_threads(2, one, two);
	return 0;
}
