/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strchr reads no further than what it finds. */
#include <string.h>
#include "threads.h"

static char text[] = "key=value";
const char *found;
static invisible_step_t step;

static void one(void)
{
	found = strchr(text, '=');
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[4] = 'V';
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
