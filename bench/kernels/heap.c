/* SPDX-License-Identifier: MIT */
/* Blocks of mixed sizes, most of them small: each thread keeps some hundred, and over and
 * over frees one and allocates another, now and then lets one grow, and hands one in
 * eight to the next thread, which will free it. */
#include "kernel.h"

#include <stdatomic.h>

enum { KEPT = 512, STEPS = 1500000 };

static _Atomic(uint64_t *) handed[KERNEL_THREADS_MAX];
static uint64_t sums[KERNEL_THREADS_MAX][8];

static size_t size_of(uint64_t r)
{
	size_t most = (size_t)16 << (r % 64 ? r % 5 : 9);

	return sizeof(uint64_t) + (r >> 8) % most;
}

static uint64_t *make(uint64_t r)
{
	uint64_t *block = malloc(size_of(r));

	block[0] = r % 1000;
	return block;
}

static void work(long id)
{
	long steps = kernel_scaled(STEPS), next = (id + 1) % kernel_threads;
	uint64_t *kept[KEPT] = {0}, sum = 0;

	for (long i = kernel_first(steps, id); i < kernel_last(steps, id); i++) {
		uint64_t seed = (uint64_t)i, r = kernel_random(&seed);
		uint64_t **place = &kept[(r >> 32) % KEPT];

		if (*place && r >> 48 == 0)
			*place = realloc(*place, size_of(r * 3) * 2);
		else if (*place && (r >> 48) % 8 == 0)
			*place = atomic_exchange_explicit(&handed[next], *place,
							  memory_order_acq_rel);
		if (*place)
			sum += (*place)[0] != 1000;
		free(*place);
		*place = make(r);
	}
	for (int i = 0; i < KEPT; i++)
		free(kept[i]);
	sums[id][0] = sum;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++) {
		free(handed[i]);
		sum += sums[i][0];
	}
	return kernel_close(sum > 0);
}
