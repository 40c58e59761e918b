/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strstr reads all of a text that has not what it looks for. */
#include <string.h>
#include "threads.h"

static char text[] = "hay hay hay";
const char *found;
static invisible_step_t step;

static void one(void)
{
	found = strstr(text, "needle"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[10] = 'e'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
