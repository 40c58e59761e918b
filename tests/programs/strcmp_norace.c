/* SPDX-License-Identifier: MIT */
// flags: -fno-builtin
/* And no further. */
#include <string.h>
#include "threads.h"

static char a[] = "abc", b[] = "xbcde";
int order;
static invisible_step_t step;

static void one(void)
{
	order = strcmp(a, b);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	b[4] = 'f';
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
