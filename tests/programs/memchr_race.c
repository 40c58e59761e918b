/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* But up to it. */
#include <string.h>
#include "threads.h"

static char text[] = "a needle here";
const char *found;
static invisible_step_t step;

static void one(void)
{
	found = memchr(text, 'n', sizeof text); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[1] = '-'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
