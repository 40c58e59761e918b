/* SPDX-License-Identifier: MIT */
/* What an epoll set says of one descriptor tells nothing of another one in it. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "threads.h"

static invisible_step_t step;
static int set, counter[2];
int told;

static void one(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	invisible_await(&step, 1);
	if (epoll_wait(set, &event, 1, -1) == 1)
		told = event.data.u32; // race: b
}

static void two(void)
{
	uint64_t one = 1;
	told = 3; // race: a
	if (write(counter[1], &one, sizeof one) != sizeof one)
		_exit(1);
	invisible_advance(&step);
}

int main(void)
{
	uint64_t start = 1;
	set = epoll_create1(0);
	for (uint32_t i = 0; i < 2; i++) {
		struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u32 = i};
		counter[i] = eventfd(0, 0);
		epoll_ctl(set, EPOLL_CTL_ADD, counter[i], &event);
	}
	if (write(counter[0], &start, sizeof start) != sizeof start)
		return 1;
	run_threads(2, one, two);
	return 0;
}
