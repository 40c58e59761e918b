/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* localtime_r does not. */
#include <time.h>
#include "threads.h"

static time_t now;
static invisible_step_t step;

static void one(void)
{
	struct tm mine;
	localtime_r(&now, &mine);
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	struct tm mine;
	localtime_r(&now, &mine);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
