/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Pages that were emptied are in use still: who reads them must come after. */
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 20 };
static char *memory;
static invisible_step_t step;

static void fill(void)
{
	memory[SIZE / 2] = 1;
}

static void one(void)
{
	madvise(memory, SIZE, MADV_DONTNEED); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (memory[SIZE / 2]) // race: b
		invisible_advance(&step);
}

int main(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(1, fill);
	run_threads(2, one, two);
	return 0;
}
