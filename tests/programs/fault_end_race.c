/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A race at an access that ends the program is told at its end. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16 };
static char *memory;
static invisible_step_t step;

static void give_up(int number)
{
	(void)number;
	_exit(0);
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
	signal(SIGSEGV, give_up);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 1;
}
