/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Advice that empties pages counts as a write. */
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 20 };
static char *memory;
static invisible_step_t step;

static void one(void)
{
	memory[SIZE - 1] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	madvise(memory, SIZE, MADV_DONTNEED); // race: b
}

int main(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
