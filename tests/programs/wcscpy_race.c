/* SPDX-License-Identifier: MIT */
/* Wide characters are as good as narrow ones. */
#include <wchar.h>
#include "threads.h"

static wchar_t text[8];
static invisible_step_t step;

static void one(void)
{
	wcscpy(text, L"abc"); // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[3] = 1; // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
