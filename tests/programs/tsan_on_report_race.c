/* SPDX-License-Identifier: MIT */
// output: told
/* The program is told of the race, and asks about it. */
#include <stdio.h>
#include "threads.h"

void *__tsan_get_current_report(void);
int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr, int *size,
			  int *write, int *atomic, void **trace, unsigned long room);
void __tsan_on_report(void *report);

int data;
static invisible_step_t step;

void __tsan_on_report(void *report)
{
	int tid, size, write, atomic;
	void *addr, *trace[8];

	if (report == __tsan_get_current_report() &&
	    __tsan_get_report_mop(report, 0, &tid, &addr, &size, &write, &atomic, trace, 8) &&
	    addr == &data && size == 4 && write && !atomic && trace[0])
		puts("told");
}

static void one(void)
{
	data = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	data = 2; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
