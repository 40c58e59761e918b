/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* And nothing behind it. */
#include <string.h>
#include "threads.h"

static char text[16] = "abc";
size_t length;
static invisible_step_t step;

static void one(void)
{
	length = strlen(text);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[4] = 'd';
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
