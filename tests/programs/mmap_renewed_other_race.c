/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A mapping is put over one that another thread has written to, which takes that away from
 * it. What it then goes on to write without knowing is a write to the new one. */
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16 };
static char *memory;
static invisible_step_t step;

static void one(void)
{
	volatile char *at = memory;
	at[8] = 1; // race: a
	invisible_advance(&step);
	invisible_await(&step, 2);
	at[8] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	volatile char *at = memory;
	invisible_await(&step, 1);
	mmap(memory, SIZE, PROT_READ | PROT_WRITE, // race: b
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	invisible_advance(&step);
	invisible_await(&step, 3);
	at[8] = 2; // race: b
}

int main(void)
{
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
