/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strlen reads the zero at the end too. */
#include <string.h>
#include "threads.h"

static char text[16] = "abc";
size_t length;
static invisible_step_t step;

static void one(void)
{
	length = strlen(text); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[3] = 'd'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
