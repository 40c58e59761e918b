/* SPDX-License-Identifier: MIT */
/* Follows pointers through a list in random order, larger than the caches; all threads
 * read the same list. */
#include "kernel.h"

enum { NODES = 1 << 18, STEPS = 4000000 };

static struct node {
	struct node *next;
	uint64_t value, unused[2];
} node[NODES];

static uint64_t sums[KERNEL_THREADS_MAX][8];

static void work(long id)
{
	long steps = kernel_scaled(STEPS), first = kernel_first(steps, id);
	const struct node *n = &node[first * 7 % NODES];
	uint64_t sum = 0;

	for (long i = first; i < kernel_last(steps, id); i++) {
		sum += n->value;
		n = n->next;
	}
	sums[id][0] = sum;
}

int main(int argc, char **argv)
{
	static uint32_t order[NODES];
	uint64_t sum = 0, seed = 1;

	kernel_open(argc, argv);
	for (uint32_t i = 0; i < NODES; i++) {
		uint32_t k = (uint32_t)(kernel_random(&seed) % (i + 1));

		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		node[order[i]].next = &node[order[(i + 1) % NODES]];
		node[order[i]].value = i;
	}
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++)
		sum += sums[i][0];
	return kernel_close(sum != 0);
}
