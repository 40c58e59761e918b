/* SPDX-License-Identifier: MIT */
/* Fourier transform in two dimensions: rows, a barrier, a transposition into the other
 * array, a barrier, rows again. Complex numbers are pairs of floats. */
#include "kernel.h"

#include <math.h>

enum { LOG = 8, N = 1 << LOG };

struct number {
	float re, im;
};

static struct number first[N][N], second[N][N], root[N / 2];
static pthread_barrier_t barrier;

static void butterfly(struct number *x, struct number *y, struct number w)
{
	struct number t = {y->re * w.re - y->im * w.im, y->re * w.im + y->im * w.re};

	y->re = x->re - t.re;
	y->im = x->im - t.im;
	x->re += t.re;
	x->im += t.im;
}

static void transform(struct number *row)
{
	for (int i = 1, j = 0; i < N; i++) {
		int bit = N >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct number t = row[i];

			row[i] = row[j];
			row[j] = t;
		}
	}
	for (int half = 1; half < N; half *= 2)
		for (int at = 0; at < N; at += 2 * half)
			for (int k = 0; k < half; k++)
				butterfly(&row[at + k], &row[at + k + half],
					  root[k * (N / 2 / half)]);
}

static void turn(struct number (*from)[N], struct number (*to)[N], long id)
{
	for (long i = kernel_first(N, id); i < kernel_last(N, id); i++)
		transform(from[i]);
	pthread_barrier_wait(&barrier);
	for (long i = kernel_first(N, id); i < kernel_last(N, id); i++) {
		for (int j = 0; j < N; j++) {
			to[i][j].re = from[j][i].re * (1.0f / N);
			to[i][j].im = from[j][i].im * (1.0f / N);
		}
	}
	pthread_barrier_wait(&barrier);
}

static void work(long id)
{
	long rounds = kernel_scaled(20);

	for (long r = 0; r < rounds; r++) {
		turn(first, second, id);
		turn(second, first, id);
	}
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int i = 0; i < N / 2; i++) {
		root[i].re = cosf(6.2831853f * (float)i / N);
		root[i].im = -sinf(6.2831853f * (float)i / N);
	}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			first[i][j].re = (float)(i * 31 % 17 - j % 13);
	kernel_run(work);
	return kernel_close((uint64_t)(fabsf(first[3][5].re) * 1e6f));
}
