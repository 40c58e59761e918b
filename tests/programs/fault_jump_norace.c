/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* An access that faults and whose handler jumps away was never made. */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16, ROUNDS = 100 };
static char *volatile memory;
static long *volatile wild;
static __thread sigjmp_buf out;
static invisible_barrier_t bar = INVISIBLE_BARRIER(2);

static void caught(int number)
{
	siglongjmp(out, number);
}

static void try_all(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!sigsetjmp(out, 1))
			memory[8] = 1;
		if (!sigsetjmp(out, 1))
			*wild = 1;
		if (!sigsetjmp(out, 1))
			__builtin_memset(memory + 64, 1, 1000);
		if (i % 10 == 0)
			invisible_barrier_wait(&bar);
	}
}

int main(void)
{
	signal(SIGSEGV, caught);
	memory = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, try_all, try_all);
	return 0;
}
