/* SPDX-License-Identifier: MIT */
/* Quicksort of 32-bit numbers, each thread its part: recursion with many
 * small calls. */
#include "kernel.h"

enum { ITEMS = 1 << 18 };

static uint32_t item[ITEMS];

static void swap(uint32_t *x, uint32_t *y)
{
	uint32_t t = *x;

	*x = *y;
	*y = t;
}

static __attribute__((noinline)) int less(const uint32_t *x, const uint32_t *y)
{
	return *x < *y;
}

static __attribute__((noinline)) void sort(uint32_t *from, uint32_t *to)
{
	if (to - from < 2)
		return;
	uint32_t *last = from;

	swap(from, from + (to - from) / 2);
	for (uint32_t *p = from + 1; p < to; p++)
		if (less(p, from))
			swap(++last, p);
	swap(from, last);
	sort(from, last);
	sort(last + 1, to);
}

static void work(long id)
{
	long rounds = kernel_scaled(5);
	uint32_t *from = item + kernel_first(ITEMS, id),
		 *to = item + kernel_last(ITEMS, id);

	for (long r = 0; r < rounds; r++) {
		uint64_t seed = (uint64_t)r;

		for (uint32_t *p = from; p < to; p++)
			*p = (uint32_t)kernel_random(&seed);
		sort(from, to);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (uint32_t i = 0; i < ITEMS; i++)
		sum += (uint64_t)item[i] * i;
	return kernel_close(sum);
}
