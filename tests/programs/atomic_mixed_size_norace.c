/* SPDX-License-Identifier: MIT */
/* Stored as eight bytes, loaded as four: the same location. */
#include "threads.h"

static union {
	long whole;
	int half[2];
} flag;
int data, seen;

static void one(void)
{
	data = 1;
	__atomic_store_n(&flag.whole, 1, __ATOMIC_RELEASE);
}

static void two(void)
{
	while (!__atomic_load_n(&flag.half[0], __ATOMIC_ACQUIRE))
		;
	seen = data;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
