/* SPDX-License-Identifier: MIT */
/* A reader has fences for the compiler alone; the writer, who waits until no reader is in,
 * has them made real by membarrier(). */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include "threads.h"

static atomic_int in;
int data = 1, seen;
static invisible_step_t step;

static void reader(void)
{
	atomic_store_explicit(&in, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	seen = data;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&in, 0, memory_order_relaxed);
	invisible_advance(&step);
}

static void writer(void)
{
	invisible_await(&step, 1);
	while (atomic_load_explicit(&in, memory_order_relaxed))
		;
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	data = 2;
}

int main(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		return 0; /* not on this machine */
	run_threads(2, reader, writer);
	return seen != 1;
}
