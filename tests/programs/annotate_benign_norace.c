/* SPDX-License-Identifier: MIT */
/* A benign variable, by the older annotation. */
#include "threads.h"

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *p, long n,
			     const char *why);

int data;
static invisible_step_t step;

static void one(void)
{
	AnnotateBenignRaceSized(__FILE__, __LINE__, &data, sizeof data, "wanted");
	data = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	data = 2;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
