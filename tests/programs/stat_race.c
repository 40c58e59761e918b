/* SPDX-License-Identifier: MIT */
/* stat writes what it knows. */
#include <sys/stat.h>
#include "threads.h"

static struct stat facts;
static invisible_step_t step;

static void one(void)
{
	facts.st_size = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	stat("/", &facts); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
