/* SPDX-License-Identifier: MIT */
/* A lock-free stack (Treiber's, of numbered nodes, with a counter against reuse) of free
 * nodes: threads pop a few, write to them, read them back and push them. */
#include "kernel.h"

#include <stdatomic.h>

enum { NODES = 1 << 14, ROUNDS = 250000, GRIP = 4, WORDS = 6 };

static struct node {
	_Atomic uint32_t next;
	uint64_t data[WORDS];
} node[NODES + 1];

static _Atomic uint64_t head; /* counter << 32 | number of the first node, or 0 */
static uint64_t sums[KERNEL_THREADS_MAX][8];

static void push(uint32_t n)
{
	uint64_t old = atomic_load_explicit(&head, memory_order_relaxed), new;

	do {
		atomic_store_explicit(&node[n].next, (uint32_t)old, memory_order_relaxed);
		new = ((old >> 32) + 1) << 32 | n;
	} while (!atomic_compare_exchange_weak_explicit(
	    &head, &old, new, memory_order_release, memory_order_relaxed));
}

static uint32_t pop(void)
{
	uint64_t old = atomic_load_explicit(&head, memory_order_acquire), new;

	do {
		uint32_t next =
		    atomic_load_explicit(&node[(uint32_t)old].next, memory_order_relaxed);

		new = ((old >> 32) + 1) << 32 | next;
	} while (!atomic_compare_exchange_weak_explicit(
	    &head, &old, new, memory_order_acquire, memory_order_acquire));
	return (uint32_t)old;
}

static void work(long id)
{
	long rounds = kernel_scaled(ROUNDS);
	uint64_t sum = 0;

	for (long i = kernel_first(rounds, id); i < kernel_last(rounds, id); i++) {
		uint32_t n[GRIP];

		for (int g = 0; g < GRIP; g++) {
			n[g] = pop();
			for (int k = 0; k < WORDS; k++)
				node[n[g]].data[k] = (uint64_t)(i + k);
		}
		for (int g = 0; g < GRIP; g++) {
			for (int k = 0; k < WORDS; k++)
				sum += node[n[g]].data[k];
			push(n[g]);
		}
	}
	sums[id][0] = sum;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (uint32_t n = 1; n <= NODES; n++)
		push(n);
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++)
		sum += sums[i][0];
	return kernel_close(sum);
}
