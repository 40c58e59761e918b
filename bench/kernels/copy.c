/* SPDX-License-Identifier: MIT */
/* Copies blocks of 16 bytes to 8 KiB within a thread's own memory, and now and then
 * clears one. */
#include "kernel.h"

#include <string.h>

enum { BLOCKS = 64, BLOCK = 8192, COPIES = 1200000 };

static uint64_t sums[KERNEL_THREADS_MAX][8];

static void work(long id)
{
	long copies = kernel_scaled(COPIES);
	unsigned char *memory = calloc(BLOCKS, BLOCK);
	uint64_t seed = 1;

	for (long i = kernel_first(copies, id); i < kernel_last(copies, id); i++) {
		uint64_t r = kernel_random(&seed);
		unsigned char *from = memory + r % BLOCKS * BLOCK;
		unsigned char *to = memory + (r >> 8) % BLOCKS * BLOCK;
		size_t size = (size_t)16 << (r >> 16) % 10;

		if (from == to)
			memset(to, (int)i, size);
		else
			memcpy(to, from, size);
		to[0]++;
	}
	for (int i = 0; i < BLOCKS; i++)
		sums[id][0] += memory[i * BLOCK];
	free(memory);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++)
		sum += sums[i][0];
	return kernel_close(sum);
}
