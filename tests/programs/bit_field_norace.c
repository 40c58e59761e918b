/* SPDX-License-Identifier: MIT */
/* Bit-fields that a field of no width parts are memory locations of their own. */
#include "threads.h"

struct {
	unsigned char a : 3;
	unsigned char : 0;
	unsigned char b : 5;
	unsigned char c;
} flags;

static void one(void)
{
	for (int i = 0; i < 100; i++)
		flags.a++;
}

static void two(void)
{
	for (int i = 0; i < 100; i++)
		flags.b++;
}

static void three(void)
{
	for (int i = 0; i < 100; i++)
		flags.c++;
}

int main(void)
{
	run_threads(3, one, two, three);
	return flags.c == 100 ? 0 : 1;
}
