/* SPDX-License-Identifier: MIT */
/* A reader after a writer of an annotated lock. */
#include "threads.h"

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *p, long write);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *p, long write);

int data, seen;
static invisible_step_t step;

static void one(void)
{
	AnnotateRWLockAcquired(__FILE__, __LINE__, &step, 1);
	data = 1;
	AnnotateRWLockReleased(__FILE__, __LINE__, &step, 1);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	AnnotateRWLockAcquired(__FILE__, __LINE__, &step, 0);
	seen = data;
	AnnotateRWLockReleased(__FILE__, __LINE__, &step, 0);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
