// SPDX-License-Identifier: MIT
// pattern: none
// The block is freed when both are done: it is a race, but not with the free.
#include "pair.h"

static int *block;

__attribute__((constructor)) static void make(void)
{
	block = malloc(4 * sizeof *block);
}

__attribute__((destructor)) static void destroy(void)
{
	free(block);
}

void first(void) { use(&block[2]); }
void second(void) { block[2] = ordinal(); }
