/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strcat reads what is there before it appends. */
#include <string.h>
#include "threads.h"

static char text[16] = "abc";
static invisible_step_t step;

static void one(void)
{
	text[0] = 'A'; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	strcat(text, "def"); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
