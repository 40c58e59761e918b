/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* What was raced on becomes inaccessible, and handlers jump away from it: how it is used from
 * then on is still looked at (run.t asks for JSON), which must neither fault nor hang. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16, ROUNDS = 20 };
static char *volatile memory;
static __thread sigjmp_buf out;
static invisible_step_t step;

static void caught(int number)
{
	siglongjmp(out, number);
}

static void use(void)
{
	for (int i = 0; i < ROUNDS; i++)
		if (!sigsetjmp(out, 1))
			memory[8] = 1;
}

static void one(void)
{
	memory[8] = 1; // race: a
	invisible_advance(&step);
	invisible_await(&step, 2);
	use();
}

static void two(void)
{
	invisible_await(&step, 1);
	memory[8] = 2; // race: b
	mprotect(memory, SIZE, PROT_NONE);
	invisible_advance(&step);
	use();
}

int main(void)
{
	signal(SIGSEGV, caught);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	return 0;
}
