/* SPDX-License-Identifier: MIT */
/* Two bytes. */
#include "threads.h"

static _Atomic short flag;
int data, seen;

static void one(void)
{
	data = 1;
	atomic_fetch_add_explicit(&flag, 1, memory_order_release);
}

static void two(void)
{
	while (!atomic_fetch_and_explicit(&flag, -1, memory_order_acquire))
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
