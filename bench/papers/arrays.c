/* SPDX-License-Identifier: MIT */
/* Large arrays, 192 MiB at scale 100: each thread fills its part of one of doubles, one
 * of ints and one of bytes, and behind a barrier reads its neighbour's part of all three,
 * twice. An array is one block of the heap. */
#include "../kernels/kernel.h"

enum { BYTES = 64 << 20 };

static double *wide;
static int *plain;
static unsigned char *narrow;
static uint64_t sums[KERNEL_THREADS_MAX];
static pthread_barrier_t barrier;

static void fill(long n, long id)
{
	long doubles = n / (long)sizeof *wide, ints = n / (long)sizeof *plain;

	for (long i = kernel_first(doubles, id); i < kernel_last(doubles, id); i++)
		wide[i] = (double)(i % 1000);
	for (long i = kernel_first(ints, id); i < kernel_last(ints, id); i++)
		plain[i] = (int)(i % 999);
	for (long i = kernel_first(n, id); i < kernel_last(n, id); i++)
		narrow[i] = (unsigned char)i;
}

static uint64_t read_part(long n, long id)
{
	long doubles = n / (long)sizeof *wide, ints = n / (long)sizeof *plain;
	uint64_t sum = 0;

	for (long i = kernel_first(doubles, id); i < kernel_last(doubles, id); i++)
		sum += (uint64_t)wide[i];
	for (long i = kernel_first(ints, id); i < kernel_last(ints, id); i++)
		sum += (uint64_t)plain[i];
	for (long i = kernel_first(n, id); i < kernel_last(n, id); i++)
		sum += narrow[i];
	return sum;
}

static void work(long id)
{
	long n = kernel_scaled(BYTES);

	fill(n, id);
	pthread_barrier_wait(&barrier);
	for (int times = 0; times < 2; times++)
		sums[id] += read_part(n, (id + 1) % kernel_threads);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	wide = malloc((size_t)kernel_scaled(BYTES));
	plain = malloc((size_t)kernel_scaled(BYTES));
	narrow = malloc((size_t)kernel_scaled(BYTES));
	kernel_run(work);
	for (long t = 0; t < kernel_threads; t++)
		sum += sums[t];
	free(wide);
	free(plain);
	free(narrow);
	return kernel_close(sum);
}
