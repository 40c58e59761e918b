/* SPDX-License-Identifier: MIT */
/* The lock of a stream is a lock like others, and may be taken twice. */
#include <sched.h>
#include <stdio.h>
#include "threads.h"

int x;

static void wait_for_it(void)
{
	for (int i = 0; i < 50; i++) {
		flockfile(stdout);
		flockfile(stdout);
		x++;
		funlockfile(stdout);
		x++;
		funlockfile(stdout);
	}
}

static void ask_for_it(void)
{
	for (int i = 0; i < 50; i++) {
		while (ftrylockfile(stdout) != 0)
			sched_yield();
		x++;
		funlockfile(stdout);
	}
}

int main(void)
{
	run_threads(2, wait_for_it, ask_for_it);
	return x == 150 ? 0 : 1;
}
