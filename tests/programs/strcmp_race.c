/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strcmp reads both texts up to the end of the shorter one. */
#include <string.h>
#include "threads.h"

static char a[] = "abc", b[] = "xbcd";
int order;
static invisible_step_t step;

static void one(void)
{
	order = strcmp(a, b); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	b[3] = 'e'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
