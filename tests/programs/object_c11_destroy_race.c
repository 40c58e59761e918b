/* SPDX-License-Identifier: MIT */
/* The same for the condition of C11: signalled by one thread, destroyed by another. */
#include <threads.h>
#include "threads.h"

static invisible_step_t step;
static cnd_t c;

static void one(void)
{
	cnd_signal(&c); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	cnd_destroy(&c); // race: b
}

int main(void)
{
	cnd_init(&c);
	run_threads(2, one, two);
	return 0;
}
