/* SPDX-License-Identifier: MIT */
// small: 3
/*
 * LU decomposition of a matrix in blocks, a task for each step on a block, in the order
 *of what they depend on. The matrix has a heavy diagonal: no pivoting.
 *
 *	lu [BLOCKS]
 *
 * -DRACE: the update of a block does not wait for the block above it.
 */
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 16 };
typedef double block[SIDE][SIDE];

static void factor(block a)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < SIDE; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

/* A block right of the diagonal one. */
static void solve_row(block diagonal, block a)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = k + 1; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++)
				a[i][j] -= diagonal[i][k] * a[k][j]; // race: a
}

/* A block below it. */
static void solve_column(block diagonal, block a)
{
	for (int k = 0; k < SIDE; k++)
		for (int i = 0; i < SIDE; i++) {
			a[i][k] /= diagonal[k][k];
			for (int j = k + 1; j < SIDE; j++)
				a[i][j] -= a[i][k] * diagonal[k][j];
		}
}

static void update(block left, block above, block a)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double sum = 0;
			for (int k = 0; k < SIDE; k++)
				sum += left[i][k] * above[k][j]; // race: b
			a[i][j] -= sum;				 // race: a
		}
}

static void decompose(block *m, int n)
{
	for (int k = 0; k < n; k++) {
		block *pivot = &m[k * n + k];
#pragma omp task depend(inout : *pivot)
		factor(*pivot);
		for (int j = k + 1; j < n; j++) {
			block *row = &m[k * n + j], *column = &m[j * n + k];
#pragma omp task depend(in : *pivot) depend(inout : *row)
			solve_row(*pivot, *row);
#pragma omp task depend(in : *pivot) depend(inout : *column)
			solve_column(*pivot, *column);
		}
		for (int i = k + 1; i < n; i++)
			for (int j = k + 1; j < n; j++) {
				block *left = &m[i * n + k], *above = &m[k * n + j];
				block *a = &m[i * n + j];
#ifdef RACE
#pragma omp task depend(in : *left) depend(inout : *a) firstprivate(above)
#else
#pragma omp task depend(in : *left, *above) depend(inout : *a)
#endif
				update(*left, *above, *a);
			}
	}
}

static double entry(int n, int row, int column)
{
	return row == column ? 4.0 * n * SIDE : (row * 31 + column * 17) % 7 - 3;
}

static double at(block *m, int n, int row, int column)
{
	return m[row / SIDE * n + column / SIDE][row % SIDE][column % SIDE];
}

/* The product of both parts at a few places of the matrix. */
static int is_right(block *m, int n)
{
	int size = n * SIDE;
	for (int row = 0; row < size; row += 7) {
		int column = row * 5 % size;
		double sum = row <= column ? at(m, n, row, column) : 0;
		for (int k = 0; k < row && k <= column; k++)
			sum += at(m, n, row, k) * at(m, n, k, column);
		double off = sum - entry(n, row, column);
		if (off > 1e-6 || off < -1e-6)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 12;
	block *m = malloc(sizeof *m * (size_t)n * (size_t)n);

	for (int row = 0; row < n * SIDE; row++)
		for (int column = 0; column < n * SIDE; column++)
			m[row / SIDE * n + column / SIDE][row % SIDE][column % SIDE] =
			    entry(n, row, column);
#pragma omp parallel
#pragma omp single
	decompose(m, n);
	int good = is_right(m, n);
	free(m);
#ifndef RACE
	if (!good)
		printf("wrong\n");
	return !good;
#endif
	return good == 2;
}
