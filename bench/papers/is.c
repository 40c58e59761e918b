/* SPDX-License-Identifier: MIT */
/* Integer sort, after NAS IS as it is run on shared memory: every thread counts its part
 * of the keys by itself and adds the counts to the common ones, part by part under the
 * lock of the part; behind a barrier each ranks the values of its own range. */
#include "../kernels/kernel.h"

enum { KEYS = 1 << 17, VALUES = 1 << 10, PARTS = 16, ROUNDS = 20 };

static int key[KEYS], count[VALUES], rank_of[VALUES];
static pthread_mutex_t part_lock[PARTS];
static pthread_barrier_t barrier;

static void count_own(int *own, long first, long last)
{
	for (int v = 0; v < VALUES; v++)
		own[v] = 0;
	for (long i = first; i < last; i++)
		own[key[i]]++;
}

static void add_part(const int *own, int part)
{
	int first = part * (VALUES / PARTS);

	pthread_mutex_lock(&part_lock[part]);
	for (int v = first; v < first + VALUES / PARTS; v++)
		count[v] += own[v];
	pthread_mutex_unlock(&part_lock[part]);
}

/* How many keys are smaller, for each value in [first, last). */
static void rank_values(long first, long last)
{
	int before = 0;

	for (long v = 0; v < first; v++)
		before += count[v];
	for (long v = first; v < last; v++) {
		rank_of[v] = before;
		before += count[v];
	}
}

static void work(long id)
{
	int *own = malloc(VALUES * sizeof *own);
	long rounds = kernel_scaled(ROUNDS);

	for (long r = 0; r < rounds; r++) {
		for (long v = kernel_first(VALUES, id); v < kernel_last(VALUES, id); v++)
			count[v] = 0;
		pthread_barrier_wait(&barrier);
		count_own(own, kernel_first(KEYS, id), kernel_last(KEYS, id));
		for (int p = 0; p < PARTS; p++)
			add_part(own, (p + (int)id) % PARTS);
		pthread_barrier_wait(&barrier);
		rank_values(kernel_first(VALUES, id), kernel_last(VALUES, id));
		pthread_barrier_wait(&barrier);
	}
	free(own);
}

int main(int argc, char **argv)
{
	uint64_t seed = 1, sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int p = 0; p < PARTS; p++)
		pthread_mutex_init(&part_lock[p], NULL);
	for (int i = 0; i < KEYS; i++)
		key[i] = (int)((kernel_random(&seed) % VALUES +
				kernel_random(&seed) % VALUES) /
			       2);
	kernel_run(work);
	for (int v = 0; v < VALUES; v++)
		sum = sum * 31 + (uint64_t)rank_of[v];
	return kernel_close(sum);
}
