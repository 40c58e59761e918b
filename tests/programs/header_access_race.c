/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Accesses done by code that is not seen, told by the program. */
#include "../../include/deadheat.h"
#include "threads.h"

static char buffer[64];
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_WRITE(buffer + 10, 20); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	DEADHEAT_READ(buffer + 29, 4); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
