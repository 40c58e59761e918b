// SPDX-License-Identifier: MIT
// pattern: same-value
#include "pair.h"

int seen;

void first(void) { seen = 1; }
void second(void) { seen = 1; }
