/* SPDX-License-Identifier: MIT */
/* What functions on wide texts read, each of a text of its own that another thread writes. */
// message: 13 distinct races
#define _GNU_SOURCE
#include <wchar.h>
#include "invisible.h"
#include "threads.h"

enum { TEXTS = 13 };
static invisible_step_t step;
wchar_t text[TEXTS][16], to[16], *rest;
volatile long sum;

static void one(void)
{
	for (int i = 0; i < TEXTS; i++)
		text[i][1] = L'1'; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	sum += (long)wcstod(text[0], NULL);	  // race: b
	sum += (long)wcstof(text[1], NULL);	  // race: b
	sum += (long)wcstold(text[2], NULL);	  // race: b
	sum += (long)wcsspn(text[3], L"12");	  // race: b
	sum += (long)wcscspn(text[4], L"z");	  // race: b
	sum += wcspbrk(text[5], L"z") != NULL;	  // race: b
	sum += wcscasecmp(text[6], L"21");	  // race: b
	sum += wcsncasecmp(text[7], L"21", 2);	  // race: b
	sum += wcscoll(text[8], L"21");		  // race: b
	sum += (long)wcsxfrm(to, text[9], 4);	  // race: b
	sum += wcpcpy(to, text[10]) != NULL;	  // race: b
	sum += wmempcpy(to, text[11], 3) != NULL; // race: b
	sum += wcstok(text[12], L"z", &rest) != NULL; // race: b
}

int main(void)
{
	for (int i = 0; i < TEXTS; i++)
		wcscpy(text[i], L"22");
	run_threads(2, one, two);
	return 0;
}
