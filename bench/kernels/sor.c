/* SPDX-License-Identifier: MIT */
/* Red-black relaxation on a square grid; rows dealt out in turn, so that every row is
 * read by two threads; two barriers per sweep. */
#include "kernel.h"

enum { N = 402 };

static double grid[N][N];
static pthread_barrier_t barrier;

static void relax_row(int i, int colour)
{
	for (int j = 1 + (i + colour) % 2; j < N - 1; j += 2)
		grid[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] +
				     grid[i][j + 1]);
}

static void work(long id)
{
	long sweeps = kernel_scaled(150);

	for (long s = 0; s < sweeps; s++) {
		for (int colour = 0; colour < 2; colour++) {
			for (int i = 1 + (int)id; i < N - 1; i += (int)kernel_threads)
				relax_row(i, colour);
			pthread_barrier_wait(&barrier);
		}
	}
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int i = 0; i < N; i++)
		grid[0][i] = grid[i][0] = i;
	kernel_run(work);
	return kernel_close((uint64_t)(grid[9][9] * 1e6));
}
