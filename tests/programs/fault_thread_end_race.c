/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Memory that could not be accessed when the race was found, and could when the access was
 * made: no handler is called, and the race is told at the thread's end. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16 };
static char *memory;
static invisible_step_t step;

void __tsan_write1(void *);

static void give_up(int number)
{
	(void)number;
	_exit(1);
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
	/* What the compiler would have told before the access. */
	__tsan_write1(&memory[8]); // race: b
}

int main(void)
{
	signal(SIGSEGV, give_up);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
