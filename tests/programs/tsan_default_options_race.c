/* SPDX-License-Identifier: MIT */
// status: 17
// output: asked
/* The program brings its own options for ThreadSanitizer; it is asked before anything
 * of the runtime is ready, and its function is instrumented like any other. */
#include <stdio.h>
#include "threads.h"

const char *__tsan_default_options(void);

int data;
static int asked;
static invisible_step_t step;

const char *__tsan_default_options(void)
{
	asked++;
	return "second_deadlock_stack=1:exitcode=17:io_sync=2";
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
	puts(asked == 1 ? "asked" : "not asked");
	return 0;
}
