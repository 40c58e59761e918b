/* SPDX-License-Identifier: MIT */
/* A release store publishes what came before it to who acquires it. */
#include "threads.h"

int data, seen;
static atomic_int flag;

static void one(void)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
}

static void two(void)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
