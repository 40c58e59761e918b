// SPDX-License-Identifier: MIT
// pattern: none
#include "pair.h"

int state;

void first(void) { state = 1; }
void second(void) { state = 2; }
