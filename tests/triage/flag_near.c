// SPDX-License-Identifier: MIT
// pattern: none
// A limit that is computed is no flag.
#include "pair.h"

static int limit;

void first(void)
{
	limit = ordinal() * 2;
}

void second(void)
{
	int n = 0;
	while (n < limit)
		n++;
}
