/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin -Wno-format-truncation
/* snprintf writes as much of its text as fits. */
#include <stdio.h>
#include "threads.h"

static char text[4];
static invisible_step_t step;

static void one(void)
{
	text[3] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	snprintf(text, sizeof text, "%d", 123456); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
