/* SPDX-License-Identifier: MIT */
/* Many threads that live for a moment each: as many at a time as asked for, over and
 * over; each sums up a piece of an array and changes an element. */
#include "kernel.h"

enum { THREADS = 3000, PIECE = 1000 };

static uint64_t data[KERNEL_THREADS_MAX][PIECE];

static void work(long id)
{
	uint64_t sum = 0;

	for (int i = 0; i < PIECE; i++)
		sum += data[id][i];
	data[id][sum % PIECE]++;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	long rounds = kernel_scaled(THREADS) / kernel_threads + 1;

	for (long r = 0; r < rounds; r++)
		kernel_run(work);
	for (int i = 0; i < PIECE; i++)
		sum += data[0][i];
	return kernel_close(sum > 0);
}
