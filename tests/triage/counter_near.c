// SPDX-License-Identifier: MIT
// pattern: none
// One more than something else: nothing is read back.
#include "pair.h"

int last;

static void note(int from)
{
	last = from + 1;
}

void first(void) { note(3); }
void second(void) { note(4); }
