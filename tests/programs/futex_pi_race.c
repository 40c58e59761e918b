/* SPDX-License-Identifier: MIT */
/* The kernel takes a lock for the thread, but the other one has taken another lock. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "threads.h"

static atomic_uint words[2];
static invisible_step_t step;
int x;

static void ask(int lock, int what)
{
	if (syscall(SYS_futex, &words[lock], what, 0, NULL, NULL, 0))
		abort();
}

static void one(void)
{
	ask(0, FUTEX_LOCK_PI_PRIVATE);
	x = 1; // race: a
	ask(0, FUTEX_UNLOCK_PI_PRIVATE);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	ask(1, FUTEX_LOCK_PI_PRIVATE);
	x = 2; // race: b
	ask(1, FUTEX_UNLOCK_PI_PRIVATE);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
