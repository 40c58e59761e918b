/* SPDX-License-Identifier: MIT */
/* A bounded queue of cells with sequence numbers: several producers and consumers,
 * no lock. */
#include "threads.h"

enum { SIZE = 16, EACH = 400 };

static struct {
	atomic_uint sequence;
	int value;
} cells[SIZE];
static atomic_uint head, tail;
static atomic_int sum;

static void put(int value)
{
	unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);

	for (;;) {
		unsigned s = atomic_load_explicit(&cells[at % SIZE].sequence,
						  memory_order_acquire);
		if (s == at && atomic_compare_exchange_weak_explicit(
				       &tail, &at, at + 1, memory_order_relaxed,
				       memory_order_relaxed))
			break;
		if (s != at)
			at = atomic_load_explicit(&tail, memory_order_relaxed);
	}
	cells[at % SIZE].value = value;
	atomic_store_explicit(&cells[at % SIZE].sequence, at + 1, memory_order_release);
}

static int get(void)
{
	unsigned at = atomic_load_explicit(&head, memory_order_relaxed);

	for (;;) {
		unsigned s = atomic_load_explicit(&cells[at % SIZE].sequence,
						  memory_order_acquire);
		if (s == at + 1 && atomic_compare_exchange_weak_explicit(
					   &head, &at, at + 1, memory_order_relaxed,
					   memory_order_relaxed))
			break;
		if (s != at + 1)
			at = atomic_load_explicit(&head, memory_order_relaxed);
	}
	int value = cells[at % SIZE].value;

	atomic_store_explicit(&cells[at % SIZE].sequence, at + SIZE, memory_order_release);
	return value;
}

static void produce(void)
{
	for (int i = 0; i < EACH; i++)
		put(i);
}

static void consume(void)
{
	for (int i = 0; i < EACH; i++)
		sum += get();
}

int main(void)
{
	for (unsigned i = 0; i < SIZE; i++)
		cells[i].sequence = i;
	run_threads(4, produce, consume, produce, consume);
	return sum != EACH * (EACH - 1);
}
