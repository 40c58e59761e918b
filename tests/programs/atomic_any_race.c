/* SPDX-License-Identifier: MIT */
// flags: -latomic
/* A relaxed store of an atomic object of three words hands nothing on, whatever lock the
 * store itself is done under. */
#include "threads.h"

struct three {
	long a, b, c;
};

static _Atomic struct three flag;
int data;

static void writer(void)
{
	data = 1; // race: a
	atomic_store_explicit(&flag, ((struct three){4, 5, 6}), memory_order_relaxed);
}

static void reader(void)
{
	while (atomic_load_explicit(&flag, memory_order_acquire).c != 6)
		sched_yield();
	data = 2; // race: b
}

int main(void)
{
	run_threads(2, writer, reader);
	return 0;
}
