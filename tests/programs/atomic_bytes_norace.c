/* SPDX-License-Identifier: MIT */
/* Eight threads, or here two, on the bytes of one word, each with its own order. */
#include "threads.h"

static _Atomic unsigned char flags[8];
int data[2], seen;

static void one(void)
{
	data[0] = 1;
	atomic_store_explicit(&flags[0], 1, memory_order_release);
	while (!atomic_load_explicit(&flags[1], memory_order_acquire))
		;
	data[1]++;
}

static void two(void)
{
	data[1] = 1;
	atomic_store_explicit(&flags[1], 1, memory_order_release);
	while (!atomic_load_explicit(&flags[0], memory_order_acquire))
		;
	seen = data[0];
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
