/* SPDX-License-Identifier: MIT */
/* Atomic counters: a relaxed one per thread, one shared by all, a reference count with
 * release and acquire, and a flag that is only read. */
#include "kernel.h"

#include <stdatomic.h>

enum { STEPS = 12000000 };

static struct {
	_Atomic uint64_t own;
	char apart[120];
} counters[KERNEL_THREADS_MAX];

static _Atomic uint64_t shared;
static _Atomic int references, stop;

static void work(long id)
{
	long steps = kernel_scaled(STEPS);

	for (long i = kernel_first(steps, id); i < kernel_last(steps, id); i++) {
		if (atomic_load_explicit(&stop, memory_order_acquire))
			return;
		atomic_fetch_add_explicit(&counters[id].own, 1, memory_order_relaxed);
		if (i % 4 == 0)
			atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
		if (i % 8 == 0) {
			atomic_fetch_add_explicit(&references, 1, memory_order_relaxed);
			atomic_fetch_sub_explicit(&references, 1, memory_order_acq_rel);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	kernel_run(work);
	for (long i = 0; i < kernel_threads; i++)
		sum += counters[i].own;
	return kernel_close(sum + shared + (uint64_t)references);
}
