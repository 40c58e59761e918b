/* SPDX-License-Identifier: MIT */
/* Relaxed operations order nothing. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1; // race: a
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	seen = data; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
