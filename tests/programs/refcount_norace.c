/* SPDX-License-Identifier: MIT */
/* The last one to give up its reference frees: all have released theirs. */
#include <stdlib.h>
#include "threads.h"

struct object {
	atomic_int references;
	int value[2];
};

struct object *shared;

static void drop(struct object *o)
{
	if (atomic_fetch_sub_explicit(&o->references, 1, memory_order_release) == 1) {
		atomic_thread_fence(memory_order_acquire);
		free(o);
	}
}

static void one(void)
{
	shared->value[0] = 1;
	drop(shared);
}

static void two(void)
{
	shared->value[1] = 1;
	drop(shared);
}

int main(void)
{
	shared = calloc(1, sizeof *shared);
	shared->references = 2;
	run_threads(2, one, two);
	return 0;
}
