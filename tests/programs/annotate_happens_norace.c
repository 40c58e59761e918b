/* SPDX-License-Identifier: MIT */
/* The older annotations, with file and line. */
#include "threads.h"

void AnnotateHappensBefore(const char *file, int line, const volatile void *p);
void AnnotateHappensAfter(const char *file, int line, const volatile void *p);

int data;
static invisible_step_t step;

static void one(void)
{
	data = 1;
	AnnotateHappensBefore(__FILE__, __LINE__, &data);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	AnnotateHappensAfter(__FILE__, __LINE__, &data);
	data++;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
