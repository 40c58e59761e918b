// SPDX-License-Identifier: MIT
// pattern: flag-polling
#include "pair.h"

static int done;

void first(void)
{
	done = 1;
}

void second(void)
{
	while (!done)
		pause_a_little();
}
