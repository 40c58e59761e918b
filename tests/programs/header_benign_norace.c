/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Races on a variable that has been called benign are not reported. */
#include "../../include/deadheat.h"
#include "threads.h"

static struct {
	int before, count[4], after;
} s;
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_BENIGN(s.count, "a rough count is good enough");
	s.count[3] = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	s.count[3] = 2;
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
