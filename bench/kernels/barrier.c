/* SPDX-License-Identifier: MIT */
/* Short phases between barriers: each thread takes its neighbour's values of the last
 * phase, and all look at the first thread's. */
#include "kernel.h"

enum { PHASES = 8000, VALUES = 512 };

static long values[2][VALUES];
static pthread_barrier_t barrier;

static void work(long id)
{
	long phases = kernel_scaled(PHASES);

	for (long p = 0; p < phases; p++) {
		const long *from = values[p % 2];
		long *to = values[1 - p % 2];

		for (long i = kernel_first(VALUES, id); i < kernel_last(VALUES, id); i++)
			to[i] = from[(i + 1) % VALUES] + (from[0] & 1);
		pthread_barrier_wait(&barrier);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int i = 0; i < VALUES; i++)
		values[0][i] = i;
	kernel_run(work);
	for (int i = 0; i < VALUES; i++)
		sum += (uint64_t)values[0][i];
	return kernel_close(sum);
}
