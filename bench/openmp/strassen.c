/* SPDX-License-Identifier: MIT */
// small: 64
/*
 * Product of matrices by Strassen's seven products of quarters, a task each.
 *
 *	strassen [SIDE]     a power of two
 *
 * -DRACE: the products are put together without a wait for them.
 */
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 16, PRODUCTS = 7 };

/* A square part of a larger matrix, whose rows are `row` apart. */
struct part {
	double *at;
	size_t row;
};

static struct part quarter(struct part m, size_t half, size_t i, size_t j)
{
	return (struct part){m.at + i * half * m.row + j * half, m.row};
}

static void multiply_plainly(struct part a, struct part b, struct part c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += a.at[i * a.row + k] * b.at[k * b.row + j];
			c.at[i * c.row + j] = sum; // race: a
		}
}

/* to = x + sign * y */
static void add(struct part to, struct part x, struct part y, double sign, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			to.at[i * to.row + j] =
			    x.at[i * x.row + j] + sign * y.at[i * y.row + j];
}

static void multiply(struct part a, struct part b, struct part c, size_t n);

/* Which quarters (row * 2 + column) are added, with which sign, to be multiplied. */
static const struct terms {
	int a, with_a, sign_a, b, with_b, sign_b;
} terms[PRODUCTS] = {
    {0, 3, 1, 0, 3, 1},	 {2, 3, 1, 0, -1, 0}, {0, -1, 0, 1, 3, -1}, {3, -1, 0, 2, 0, -1},
    {0, 1, 1, 3, -1, 0}, {2, 0, -1, 0, 1, 1}, {1, 3, -1, 2, 3, 1},
};

static struct part operand(struct part m, double *space, size_t half, int q, int with,
			   int sign)
{
	struct part one = quarter(m, half, (size_t)q / 2, (size_t)q % 2);
	struct part sum = {space, half};

	if (with < 0)
		return one;
	add(sum, one, quarter(m, half, (size_t)with / 2, (size_t)with % 2), sign, half);
	return sum;
}

static void one_product(struct part a, struct part b, double *to, size_t half, int which)
{
	const struct terms *t = &terms[which];
	double *space = malloc(2 * half * half * sizeof *space);

	struct part x = operand(a, space, half, t->a, t->with_a, t->sign_a);
	struct part y = operand(b, space + half * half, half, t->b, t->with_b, t->sign_b);
	multiply(x, y, (struct part){to, half}, half);
	free(space);
}

static void put_together(struct part c, double *const *p, size_t half)
{
	for (size_t i = 0; i < half; i++)
		for (size_t j = 0; j < half; j++) {
			size_t k = i * half + j;
			double *at = c.at + i * c.row + j;
			double upper = p[0][k] + p[3][k] - p[4][k] + p[6][k]; // race: b
			double right = p[2][k] + p[4][k];		      // race: b
			double lower = p[1][k] + p[3][k];		      // race: b
			double last = p[0][k] - p[1][k] + p[2][k] + p[5][k];  // race: b
			at[0] = upper;					      // race: a
			at[half] = right;				      // race: a
			at[half * c.row] = lower;			      // race: a
			at[half * c.row + half] = last;			      // race: a
		}
}

static void multiply(struct part a, struct part b, struct part c, size_t n)
{
	if (n <= SMALL) {
		multiply_plainly(a, b, c, n);
		return;
	}
	size_t half = n / 2;
	double *space = malloc(PRODUCTS * half * half * sizeof *space), *p[PRODUCTS];
	for (int i = 0; i < PRODUCTS; i++) {
		double *to = p[i] = space + (size_t)i * half * half;
#pragma omp task firstprivate(a, b, to, half, i)
		one_product(a, b, to, half, i);
	}
#ifndef RACE
#pragma omp taskwait
#endif
	put_together(c, p, half);
#ifdef RACE
#pragma omp taskwait
#endif
	free(space);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 128;
	double *m = malloc(3 * n * n * sizeof *m);
	struct part a = {m, n}, b = {m + n * n, n}, c = {m + 2 * n * n, n};

	for (size_t i = 0; i < 2 * n * n; i++)
		m[i] = (double)(i * 7 % 11) - 5;
#pragma omp parallel
#pragma omp single
	multiply(a, b, c, n);
#ifndef RACE
	for (size_t i = 0; i < n; i += 5) {
		double sum = 0;
		for (size_t k = 0; k < n; k++)
			sum += a.at[i * n + k] * b.at[k * n + i];
		double off = sum - c.at[i * n + i];
		if (off > 1e-6 || off < -1e-6) {
			printf("wrong at %zu\n", i);
			return 1;
		}
	}
#endif
	free(m);
	return 0;
}
