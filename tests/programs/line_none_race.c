/* SPDX-License-Identifier: MIT */
/* Code without a line, as compilers make of two places that are alike: the report has the
 * last line before it in the function. (gcc keeps that line by itself, clang does not.) */
#include "threads.h"

int data;

static void one(void)
{
	volatile int here = 1; // race: a
#line 0
	data = here;
#line 14
}

static void two(void)
{
	volatile int here = 2; // race: b
#line 0
	data = here;
#line 22
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
