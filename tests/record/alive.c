/* SPDX-License-Identifier: MIT */
/* A library that is not instrumented: whether a worker is still at it. */
#include "alive.h"

int worker_is_alive(struct worker *w)
{
	return !__atomic_load_n(&w->done, __ATOMIC_ACQUIRE);
}

void worker_ends(struct worker *w)
{
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
}
