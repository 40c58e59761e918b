/* SPDX-License-Identifier: MIT */
// skip: dropin
/* What lies beside a benign variable is not benign. */
#include "../../include/deadheat.h"
#include "threads.h"

struct {
	int before, count[4], after;
} s;
static invisible_step_t step;

static void one(void)
{
	DEADHEAT_BENIGN(s.count, "a rough count is good enough");
	s.after = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	s.after = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
