/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Memory that is reserved first and mapped piece by piece later, by whoever needs it. */
#include <sys/mman.h>
#include "threads.h"

enum { SIZE = 1 << 16, PIECE = 1 << 12 };
static char *memory;
static invisible_step_t step;

static void take(char *at, char value)
{
	mmap(at, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	at[0] = at[PIECE - 1] = value;
}

static void one(void)
{
	take(memory, 1);
	take(memory + PIECE, 1);
	take(memory, 3);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	take(memory + 2 * PIECE, 2);
}

int main(void)
{
	memory = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run_threads(2, one, two);
	take(memory + PIECE, 4);
	return 0;
}
