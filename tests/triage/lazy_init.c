// SPDX-License-Identifier: MIT
// pattern: lazy-init
#include "pair.h"

static int *table;

static int *get(void)
{
	if (!table) {
		table = calloc(16, sizeof *table);
	}
	return table;
}

void first(void) { get(); }
void second(void) { get(); }
