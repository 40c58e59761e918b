/* SPDX-License-Identifier: MIT */
/* A bounded queue of cells with sequence numbers whose producer tells of a value by a
 * relaxed store: the consumer sees the number, and not what was before it. */
#include "threads.h"

enum { SIZE = 16, EACH = 100 };

static struct {
	atomic_uint sequence;
	int value;
} cells[SIZE];
static atomic_int sum;

static void produce(void)
{
	for (unsigned at = 0; at < EACH; at++) {
		while (atomic_load_explicit(&cells[at % SIZE].sequence,
					    memory_order_acquire) != at)
			sched_yield();
		cells[at % SIZE].value = 1; // race: a
		atomic_store_explicit(&cells[at % SIZE].sequence, at + 1,
				      memory_order_relaxed);
	}
}

static void consume(void)
{
	for (unsigned at = 0; at < EACH; at++) {
		while (atomic_load_explicit(&cells[at % SIZE].sequence,
					    memory_order_acquire) != at + 1)
			sched_yield();
		sum += cells[at % SIZE].value; // race: b
		atomic_store_explicit(&cells[at % SIZE].sequence, at + SIZE,
				      memory_order_release);
	}
}

int main(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		cells[i].sequence = i;
	run_threads(2, produce, consume);
	return 0;
}
