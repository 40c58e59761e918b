/* SPDX-License-Identifier: MIT */
/* Consume is as good as acquire. */
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
	while (!atomic_load_explicit(&flag, memory_order_consume))
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
