/* SPDX-License-Identifier: MIT */
/* A table that is read mostly, under a reader-writer lock: binary search in a sorted
 * array; one in 64 operations changes the value found. */
#include "kernel.h"

enum { ENTRIES = 4096, STEPS = 1000000, WRITE = 64 };

static struct {
	long key, value;
} table[ENTRIES];

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t sums[KERNEL_THREADS_MAX][8];

static int find(long key)
{
	int from = 0, to = ENTRIES;

	while (to - from > 1) {
		int middle = (from + to) / 2;

		if (table[middle].key <= key)
			from = middle;
		else
			to = middle;
	}
	return from;
}

static void work(long id)
{
	long steps = kernel_scaled(STEPS);

	for (long i = kernel_first(steps, id); i < kernel_last(steps, id); i++) {
		uint64_t seed = (uint64_t)i;
		long key = (long)(kernel_random(&seed) % (ENTRIES * 3));

		if (i % WRITE == 0) {
			pthread_rwlock_wrlock(&lock);
			table[find(key)].value++;
		} else {
			pthread_rwlock_rdlock(&lock);
			sums[id][0] += (uint64_t)table[find(key)].key;
		}
		pthread_rwlock_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	for (int i = 0; i < ENTRIES; i++)
		table[i].key = i * 3;
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++)
		sum += sums[i][0];
	return kernel_close(sum);
}
