/* SPDX-License-Identifier: MIT */
// flags: -gno-column-info
/* Code without a line, as compilers make of two places that are alike: the report has the
 * last one before it. */
#include "threads.h"

int data;

#define NO_LINE() __asm__ volatile(".loc 1 0")

static void one(void)
{
	NO_LINE(); data = 1; // race: a
}

static void two(void)
{
	NO_LINE(); data = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
