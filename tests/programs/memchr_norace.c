/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memchr reads no further than what it finds. */
#include <string.h>
#include "threads.h"

static char text[] = "a needle here";
const char *found;
static invisible_step_t step;

static void one(void)
{
	found = memchr(text, 'n', sizeof text);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[3] = 'E';
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
