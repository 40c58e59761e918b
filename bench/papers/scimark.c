/* SPDX-License-Identifier: MIT */
/* Five numerical kernels as in SciMark: a Fourier transform, relaxation of a grid, Monte
 * Carlo integration, a sparse matrix times a vector, LU factorisation with pivoting. Each
 * run of a kernel is a job with data of its own; threads take jobs from a common counter.
 */
#include "../kernels/kernel.h"

#include <math.h>

enum {
	LOG = 8,
	POINTS = 1 << LOG,
	GRID = 32,
	ROWS = 200,
	PER_ROW = 5,
	SIDE = 24,
	JOBS = 1000
};

static long next_job;
static double total[5];
static pthread_mutex_t job_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;

/* Without the reordering of the points: the sum of squares does not need it. */
static double fft(uint64_t *seed)
{
	double *re = malloc(2 * POINTS * sizeof *re), *im = re + POINTS, sum = 0;

	for (int i = 0; i < 2 * POINTS; i++)
		re[i] = (double)(kernel_random(seed) % 100);
	for (int half = POINTS / 2; half; half /= 2) {
		for (int k = 0; k < half; k++) {
			double c = cos(3.14159265 * k / half),
			       s = sin(3.14159265 * k / half);

			for (int a = k; a < POINTS; a += 2 * half) {
				int b = a + half;
				double dr = re[a] - re[b], di = im[a] - im[b];

				re[a] += re[b];
				im[a] += im[b];
				re[b] = dr * c + di * s;
				im[b] = di * c - dr * s;
			}
		}
	}
	for (int i = 0; i < POINTS; i++)
		sum += re[i] * re[i] + im[i] * im[i];
	free(re);
	return floor(sum / POINTS + 0.5);
}

static double sor(uint64_t *seed)
{
	double(*g)[GRID] = malloc(GRID * sizeof *g);

	for (int i = 0; i < GRID * GRID; i++)
		g[i / GRID][i % GRID] = (double)(kernel_random(seed) % 100);
	for (int sweep = 0; sweep < 6; sweep++)
		for (int i = 1; i < GRID - 1; i++)
			for (int j = 1; j < GRID - 1; j++)
				g[i][j] = 0.3125 * (g[i - 1][j] + g[i + 1][j] +
						    g[i][j - 1] + g[i][j + 1]) -
					  0.25 * g[i][j];
	double corner = g[GRID / 2][GRID / 2];

	free(g);
	return floor(corner * 1000);
}

static double monte_carlo(uint64_t *seed)
{
	long *in = calloc(1, sizeof *in), result;

	for (int i = 0; i < 4000; i++) {
		double x = (double)(kernel_random(seed) % 10000) / 10000;
		double y = (double)(kernel_random(seed) % 10000) / 10000;

		*in += x * x + y * y <= 1;
	}
	result = *in;
	free(in);
	return (double)result;
}

static double sparse(uint64_t *seed)
{
	double *value = malloc((ROWS * PER_ROW + 2 * ROWS) * sizeof *value);
	double *x = value + ROWS * PER_ROW, *y = x + ROWS, sum = 0;
	int *column = malloc(ROWS * PER_ROW * sizeof *column);

	for (int i = 0; i < ROWS * PER_ROW; i++) {
		value[i] = (double)(i % 7);
		column[i] = (int)(kernel_random(seed) % ROWS);
	}
	for (int i = 0; i < ROWS; i++)
		x[i] = i;
	for (int times = 0; times < 5; times++) {
		for (int r = 0; r < ROWS; r++) {
			y[r] = 0;
			for (int i = r * PER_ROW; i < (r + 1) * PER_ROW; i++)
				y[r] += x[column[i]] * value[i];
		}
	}
	for (int i = 0; i < ROWS; i++)
		sum += y[i];
	free(value);
	free(column);
	return sum;
}

static double lu(uint64_t *seed)
{
	double(*a)[SIDE] = malloc(SIDE * sizeof *a), product = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
		a[i / SIDE][i % SIDE] = (double)(kernel_random(seed) % 1000);
	for (int k = 0; k < SIDE; k++) {
		int pivot = k;

		for (int i = k + 1; i < SIDE; i++)
			if (fabs(a[i][k]) > fabs(a[pivot][k]))
				pivot = i;
		for (int j = 0; j < SIDE; j++) {
			double t = a[k][j];

			a[k][j] = a[pivot][j];
			a[pivot][j] = t;
		}
		for (int i = k + 1; i < SIDE; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < SIDE; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
		product += floor(log(fabs(a[k][k])) * 1000);
	}
	free(a);
	return product;
}

static void work(long id)
{
	static double (*const kernel[])(uint64_t *) = {fft, sor, monte_carlo, sparse, lu};

	(void)id;
	for (;;) {
		pthread_mutex_lock(&job_lock);
		long job = next_job++;
		pthread_mutex_unlock(&job_lock);
		if (job >= kernel_scaled(JOBS))
			break;
		uint64_t seed = (uint64_t)job;
		double result = kernel[job % 5](&seed);

		pthread_mutex_lock(&total_lock);
		total[job % 5] += result;
		pthread_mutex_unlock(&total_lock);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (int i = 0; i < 5; i++)
		sum = sum * 31 + (uint64_t)(int64_t)total[i];
	return kernel_close(sum);
}
