/* SPDX-License-Identifier: MIT */
/* What wide formats read, each of a text of its own that another thread writes. */
// message: 9 distinct races
#define _GNU_SOURCE
#include <stdio.h>
#include <stdarg.h>
#include <wchar.h>
#include "threads.h"

enum { TEXTS = 7 };
static invisible_step_t step;
static wchar_t text[TEXTS][16], format[] = L"%d%%";
static char narrow[16];

int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
		   ...);

static void one(void)
{
	for (int i = 0; i < TEXTS; i++)
		text[i][1] = L'1'; // race: a
	format[3] = L'%';	   // race: a
	narrow[3] = '1';	   // race: a
	invisible_advance(&step);
}

static void with_list(const wchar_t *said, ...)
{
	wchar_t to[40];
	va_list list;
	va_start(list, said);
	vswprintf(to, 40, said, list); // race: b
	va_end(list);
}

static void two(void)
{
	wchar_t to[40];
	int n;
	FILE *file = fopen("/dev/null", "w");
	invisible_await(&step, 1);
	swprintf(to, 40, L"%d %Lf %ls", 1, 1.5L, text[0]);     // race: b
	swprintf(to, 40, L"\x20ac %c %S%n", 'x', text[1], &n); // race: b
	__swprintf_chk(to, 40, 1, 40, L"%*ls", 8, text[2]);    // race: b
	with_list(L"%.*ls", 2, text[3]);
	fwprintf(file, L"%ls", text[4]); // race: b
	wprintf(L"%ls\n", text[5]);	 // race: b
	swscanf(text[6], L"%d", &n);	 // race: b
	swprintf(to, 40, format, 7);	 // race: b
	swprintf(to, 40, L"%s", narrow); // race: b
	fclose(file);
}

int main(void)
{
	for (int i = 0; i < TEXTS; i++)
		wcscpy(text[i], L"222");
	for (int i = 0; i < 4; i++)
		narrow[i] = '2';
	run_threads(2, one, two);
	return 0;
}
