/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* An access that faults is made after all where the handler makes the memory accessible. */
#include <signal.h>
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16 };
static char *memory;
static invisible_step_t step;

static void mend(int number)
{
	(void)number;
	mprotect(memory, SIZE, PROT_READ | PROT_WRITE);
}

static void one(void)
{
	memory[8] = 1; // race: a
	mprotect(memory, SIZE, PROT_NONE);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memory[8] = 2; // race: b
}

int main(void)
{
	signal(SIGSEGV, mend);
	memory = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
