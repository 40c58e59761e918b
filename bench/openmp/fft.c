/* SPDX-License-Identifier: MIT */
// small: 7
/*
 * Fast Fourier transform: a task for each half, then both are put together.
 *
 *	fft [POWER]     of 2^POWER numbers
 *
 * -DRACE: nobody waits for the halves.
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 32 };
static const double TURN = 6.283185307179586;

/* cexp(-i * TURN * k / n) for all k, so that no function of the C library is called. */
static double complex *roots;

static void make_roots(size_t n)
{
	double step = TURN / (double)n, real = 1, imaginary = 0, c = 1, s = 0, term = 1;

	for (int k = 1; k < 12; k++) { /* cosine and sine of a small angle */
		term *= step / k;
		if (k % 2)
			s += k % 4 == 1 ? term : -term;
		else
			c += k % 4 == 0 ? term : -term;
	}
	for (size_t k = 0; k < n; k++) {
		roots[k] = real - imaginary * I;
		double next = real * c - imaginary * s;
		imaginary = real * s + imaginary * c;
		real = next;
	}
}

static void transform(const double complex *in, double complex *out, size_t n,
		      size_t stride, size_t all)
{
	if (n == 1) {
		out[0] = in[0]; // race: a
		return;
	}
	double complex *even = out, *odd = out + n / 2;
#pragma omp task if (n > SMALL)
	transform(in, even, n / 2, stride * 2, all);
#pragma omp task if (n > SMALL)
	transform(in + stride, odd, n / 2, stride * 2, all);
#ifndef RACE
#pragma omp taskwait
#endif
	for (size_t k = 0; k < n / 2; k++) {
		double complex twist = odd[k] * roots[k * (all / n)]; // race: a b
		double complex plain = even[k];			      // race: a b
		out[k] = plain + twist;				      // race: a b
		out[k + n / 2] = plain - twist;			      // race: a b
	}
}

int main(int argc, char **argv)
{
	size_t n = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 12);
	double complex *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);

	roots = malloc(n * sizeof *roots);
	make_roots(n);
	for (size_t i = 0; i < n; i++) /* a single wave: one peak */
		in[i] = roots[i * 3 % n];
#pragma omp parallel
#pragma omp single
	transform(in, out, n, 1, n);
#ifndef RACE
	for (size_t i = 0; i < n; i++) {
		double real = creal(out[i]) - (i == n - 3 ? (double)n : 0);
		if (real > 1e-3 || real < -1e-3) {
			printf("wrong at %zu\n", i);
			return 1;
		}
	}
#endif
	free(in);
	free(out);
	free(roots);
	return 0;
}
