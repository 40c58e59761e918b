/* SPDX-License-Identifier: MIT */
/* Reads that are not to be looked at. */
#include "threads.h"

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

int data, seen;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	seen = data;
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
