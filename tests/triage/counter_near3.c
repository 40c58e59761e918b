// SPDX-License-Identifier: MIT
// pattern: none
// One thread counts, the other looks now and then.
#include "pair.h"

static int served;

void first(void)
{
	served++;
}

void second(void)
{
	use(&served);
}
