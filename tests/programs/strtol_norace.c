/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* And nothing behind that. */
#include <stdlib.h>
#include "threads.h"

static char text[] = "123xy";
long value;
static invisible_step_t step;

static void one(void)
{
	value = strtol(text, NULL, 10);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[4] = '4';
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
