// SPDX-License-Identifier: MIT
// pattern: counter
// Two threads count; the other order of the two steps loses a count.
#include "pair.h"

static int hits;

static void count(void)
{
	hits++;
}

void first(void) { count(); }
void second(void) { count(); }
