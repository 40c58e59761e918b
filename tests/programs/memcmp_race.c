/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* memcmp reads all that it is given, equal or not. */
#include <string.h>
#include "threads.h"

static char a[32] = "a", b[32] = "b";
int order;
static invisible_step_t step;

static void one(void)
{
	order = memcmp(a, b, sizeof a); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	b[31] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
