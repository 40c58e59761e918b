// SPDX-License-Identifier: MIT
// pattern: use-after-free
#include "pair.h"

static int *block;

__attribute__((constructor)) static void make(void)
{
	block = malloc(4 * sizeof *block);
}

void first(void) { use(&block[2]); }
void second(void) { free(block); }
