/* SPDX-License-Identifier: MIT */
/* localtime returns memory that is everybody's. */
#include <time.h>
#include "threads.h"

static time_t now;
int seen;
static invisible_step_t step;

static void one(void)
{
	seen = localtime(&now)->tm_year; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	seen += localtime(&now)->tm_year; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
