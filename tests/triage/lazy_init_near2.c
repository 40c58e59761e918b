// SPDX-License-Identifier: MIT
// pattern: none
// Who finds it empty leaves; what is set is that it is empty.
#include "pair.h"

static int enabled = 1;

static void show(int off)
{
	if (!enabled)
		return;
	if (off)
		enabled = 0;
	sink = off;
}

void first(void) { show(1); }
void second(void) { show(0); }
