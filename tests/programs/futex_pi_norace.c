/* SPDX-License-Identifier: MIT */
/* A lock of the program's own making, which the kernel hands on where the program asks it
 * to: all ways to take it come after all ways to give it back. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "threads.h"

static atomic_uint word;
static invisible_step_t step;
int x;

static void ask(int what)
{
	if (syscall(SYS_futex, &word, what, 0, NULL, NULL, 0))
		abort();
}

static void one(void)
{
	ask(FUTEX_LOCK_PI_PRIVATE);
	x = 1;
	ask(FUTEX_UNLOCK_PI_PRIVATE);
	invisible_advance(&step);
}

static void two(void)
{
	unsigned is = 0, me = (unsigned)gettid();

	invisible_await(&step, 1);
	if (!atomic_compare_exchange_strong_explicit(&word, &is, me, memory_order_acquire,
						     memory_order_relaxed))
		abort();
	x = 2;
	if (!atomic_compare_exchange_strong_explicit(&word, &me, 0, memory_order_release,
						     memory_order_relaxed))
		abort();
	invisible_advance(&step);
}

static void three(void)
{
	invisible_await(&step, 2);
	ask(FUTEX_TRYLOCK_PI_PRIVATE);
	x = 3;
	ask(FUTEX_UNLOCK_PI_PRIVATE);
}

int main(void)
{
	run_threads(3, one, two, three);
	return 0;
}
