/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A lock that no instrumentation shows, told by annotations. */
#include "../../include/deadheat.h"
#include "threads.h"

static int word;
int data;

INVISIBLE void take(void)
{
	while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE))
		;
}

INVISIBLE void give(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}

static void add(void)
{
	for (int i = 0; i < 100; i++) {
		take();
		DEADHEAT_LOCKED(&word, 1);
		data++;
		DEADHEAT_UNLOCKING(&word, 1);
		give();
	}
}

int main(void)
{
	run_threads(2, add, add);
	return data != 200;
}
