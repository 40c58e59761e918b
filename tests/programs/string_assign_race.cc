/* SPDX-License-Identifier: MIT */
/* The C++ library's own code works on the program's strings. */
#include <string>
#include "threads.h"

static std::string text;
static invisible_step_t step;

static void one(void)
{
	text.assign("some text"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text.assign("other text"); // race: b
}

int main(void)
{
	text.reserve(100);
	run_threads(2, one, two);
	return 0;
}
