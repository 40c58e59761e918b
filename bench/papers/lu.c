/* SPDX-License-Identifier: MIT */
/* LU factorisation without pivoting, block by block, after the contiguous one of
 * SPLASH-2: every block is an array of its own and belongs to a thread; three barriers
 * per step (diagonal block, blocks of its row and column, the rest). */
#include "../kernels/kernel.h"

enum { SIDE = 16, BLOCKS = 10 };

typedef double block[SIDE][SIDE];

static block *at[BLOCKS][BLOCKS];
static pthread_barrier_t barrier;

static int mine(int i, int j, long id)
{
	return (i * BLOCKS + j) % kernel_threads == id;
}

static void factor(block *a)
{
	for (int k = 0; k < SIDE; k++) {
		for (int i = k + 1; i < SIDE; i++) {
			(*a)[i][k] /= (*a)[k][k];
			for (int j = k + 1; j < SIDE; j++)
				(*a)[i][j] -= (*a)[i][k] * (*a)[k][j];
		}
	}
}

/* To the right of the diagonal block: a = inverse(lower(d)) * a. */
static void solve_row(block *d, block *a)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				(*a)[i][j] -= (*d)[i][k] * (*a)[k][j];
}

/* Below it: a = a * inverse(upper(d)). */
static void solve_column(block *d, block *a)
{
	for (int i = 0; i < SIDE; i++) {
		for (int k = 0; k < SIDE; k++) {
			(*a)[i][k] /= (*d)[k][k];
			for (int j = k + 1; j < SIDE; j++)
				(*a)[i][j] -= (*a)[i][k] * (*d)[k][j];
		}
	}
}

static void subtract(block *a, block *left, block *above)
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			for (int j = 0; j < SIDE; j++)
				(*a)[i][j] -= (*left)[i][k] * (*above)[k][j];
}

static void step(int k, long id)
{
	if (mine(k, k, id))
		factor(at[k][k]);
	pthread_barrier_wait(&barrier);
	for (int i = k + 1; i < BLOCKS; i++) {
		if (mine(k, i, id))
			solve_row(at[k][k], at[k][i]);
		if (mine(i, k, id))
			solve_column(at[k][k], at[i][k]);
	}
	pthread_barrier_wait(&barrier);
	for (int i = k + 1; i < BLOCKS; i++)
		for (int j = k + 1; j < BLOCKS; j++)
			if (mine(i, j, id))
				subtract(at[i][j], at[i][k], at[k][j]);
	pthread_barrier_wait(&barrier);
}

/* Each thread fills its own blocks; the diagonal outweighs the rest. */
static void fill(long id)
{
	for (int i = 0; i < BLOCKS; i++)
		for (int j = 0; j < BLOCKS; j++)
			for (int n = 0; n < SIDE * SIDE && mine(i, j, id); n++)
				(*at[i][j])[n / SIDE][n % SIDE] =
				    (i * 7 + j * 3 + n) % 11 +
				    (i == j && n % (SIDE + 1) == 0 ? 4000 : 0);
	pthread_barrier_wait(&barrier);
}

static void work(long id)
{
	long rounds = kernel_scaled(15);

	for (long r = 0; r < rounds; r++) {
		fill(id);
		for (int k = 0; k < BLOCKS; k++)
			step(k, id);
	}
}

int main(int argc, char **argv)
{
	double sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int i = 0; i < BLOCKS * BLOCKS; i++)
		at[i / BLOCKS][i % BLOCKS] = calloc(1, sizeof(block));
	kernel_run(work);
	for (int i = 0; i < BLOCKS; i++)
		for (int n = 0; n < SIDE; n++)
			sum += (*at[i][BLOCKS - 1])[n][(n + 3) % SIDE];
	for (int i = 0; i < BLOCKS * BLOCKS; i++)
		free(at[i / BLOCKS][i % BLOCKS]);
	return kernel_close((uint64_t)(int64_t)(sum * 1e6));
}
