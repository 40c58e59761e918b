/* SPDX-License-Identifier: MIT */
/* Wide formats: no more than they read and write. */
#define _GNU_SOURCE
#include <wchar.h>
#include "threads.h"

static wchar_t text[] = L"abc", to[16];
static char narrow[] = "abc";
static int x, y;
static invisible_step_t step;

static void one(void)
{
	text[2] = L'x';
	narrow[2] = 'x';
	to[6] = 1;
	y = 1;
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	swprintf(to, 16, L"%.2ls %.2s", text, narrow);
	swscanf(L"1 two", L"%d %d", &x, &y);
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
