/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* strcmp reads up to the first difference. */
#include <string.h>
#include "threads.h"

static char a[] = "abcd", b[] = "abxd";
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
	b[2] = 'c'; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
