/* SPDX-License-Identifier: MIT */
/* Dense matrix multiplication, by rows: two read-shared arrays, one written in parts. */
#include "kernel.h"

enum { N = 300 };

static double a[N][N], b[N][N], c[N][N];

static void work(long id)
{
	long rounds = kernel_scaled(4);

	for (long r = 0; r < rounds; r++) {
		for (long i = kernel_first(N, id); i < kernel_last(N, id); i++) {
			for (int j = 0; j < N; j++) {
				double sum = 0;

				for (int k = 0; k < N; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] = sum + (double)r;
			}
		}
	}
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	}
	kernel_run(work);
	return kernel_close((uint64_t)c[N - 1][N - 2]);
}
