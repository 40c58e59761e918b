/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A new mapping is fresh, whatever was there before. */
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16, ROUNDS = 10 };

static void use(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memory[0] = memory[SIZE - 1] = 1;
		munmap(memory, SIZE);
	}
}
static invisible_step_t step;

static void one(void)
{
	use();
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	use();
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
