/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A mapping that moves is gone from where it was: a write of all of it. */
#include <stdlib.h>
#include <sys/mman.h>
#include "threads.h"

enum { PAGE = 4096 };
static char *memory;
static invisible_step_t step;

static void one(void)
{
	memory[0] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (mremap(memory, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == memory) // race: b
		abort();
}

int main(void)
{
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	mprotect(memory + PAGE, PAGE, PROT_NONE); /* in the way */
	run_threads(2, one, two);
	return 0;
}
