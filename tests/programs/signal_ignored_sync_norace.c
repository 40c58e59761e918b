/* SPDX-License-Identifier: MIT */
/* A thread that wants its synchronisation not looked at is interrupted: that of the
 * handler counts. */
#include <signal.h>
#include "threads.h"

void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);

static invisible_step_t step;
static atomic_int done;
static int data, seen;

static void handler(int number)
{
	data = number;
	atomic_store_explicit(&done, 1, memory_order_release);
}

static void one(void)
{
	AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
	raise(SIGUSR1);
	AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	if (atomic_load_explicit(&done, memory_order_acquire))
		seen = data;
}

int main(void)
{
	signal(SIGUSR1, handler);
	run_threads(2, one, two);
	return seen != SIGUSR1;
}
