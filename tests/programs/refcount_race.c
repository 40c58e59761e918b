/* SPDX-License-Identifier: MIT */
/* References given up without release: who frees does not come after the others. */
#include <stdlib.h>
#include "threads.h"

struct object {
	atomic_int references;
	int value;
};

struct object *shared;
static invisible_step_t step;

static void one(void)
{
	shared->value = 1; // race: a
	atomic_fetch_sub_explicit(&shared->references, 1, memory_order_relaxed); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acquire) == 1)
		free(shared); // race: a b
}

int main(void)
{
	shared = calloc(1, sizeof *shared);
	shared->references = 2;
	run_threads(2, one, two);
	return 0;
}
