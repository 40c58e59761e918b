/* SPDX-License-Identifier: MIT */
// flags: -latomic
/* Atomic objects of three words: changed as a whole by several threads, and a release that
 * an acquire reads. */
#include "threads.h"

struct three {
	long a, b, c;
};

static _Atomic struct three counts, flag;
int data;

static void add(void)
{
	for (int i = 0; i < 300; i++) {
		struct three old = atomic_load_explicit(&counts, memory_order_relaxed), new;

		do {
			new = (struct three){old.a + 1, old.b - 1, old.c + 2};
		} while (!atomic_compare_exchange_weak(&counts, &old, new));
	}
}

static void writer(void)
{
	data = 1;
	atomic_exchange_explicit(&flag, ((struct three){4, 5, 6}), memory_order_release);
}

static void reader(void)
{
	while (atomic_load_explicit(&flag, memory_order_acquire).c != 6)
		sched_yield();
	data = 2;
}

int main(void)
{
	run_threads(2, writer, reader);
	run_threads(2, add, add);
	struct three end = atomic_load(&counts);
	return end.a != 600 || end.b != -600 || end.c != 1200;
}
