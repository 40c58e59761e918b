/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* strtok_r does not. */
#include <string.h>
#include "threads.h"

static char a[] = "a b", b[] = "c d";
static invisible_step_t step;

static void one(void)
{
	char *place;
	strtok_r(a, " ", &place);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	char *place;
	strtok_r(b, " ", &place);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
