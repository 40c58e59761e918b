/* SPDX-License-Identifier: MIT */
/*
 * The frame of programs about many functions of the C library: PROGRAM NAME race|norace.
 * One thread does one thing and another one the next, the call of that function among
 * them, in the one case unordered with each other, in the other in order. Without a NAME
 * the names are listed.
 */
#ifndef TESTS_PROGRAMS_CALLS_CALLS_H
#define TESTS_PROGRAMS_CALLS_CALLS_H

#include <stdio.h>
#include <string.h>
#include "../threads.h"

struct call {
	const char *name;
	void (*call)(void);
	const char *text; /* that it finds in the memory, */
	size_t at;	  /* and where in that it surely reads or writes */
};
#define CALL_ON(name, text, at)                                                          \
	{                                                                                \
#name, call_##name, text, at                                             \
	}
#define CALL(name) CALL_ON(name, "", 0)

static _Alignas(16) char memory[4096];
static char *place = memory;
static void (*call)(void);
static void (*first)(void), (*second)(void);
static invisible_step_t step;
static int failed;

__attribute__((unused)) static void check(int good)
{
	if (!good)
		failed = 1;
}

static void before(void)
{
	first();
	invisible_advance(&step);
}

static void after(void)
{
	invisible_await(&step, 1);
	second();
}

/* What the one and the other thread do; NULL: the call. */
__attribute__((unused)) static int run_calls(int argc, char **argv,
					     const struct call *calls, size_t count,
					     void (*one)(void), void (*other)(void))
{
	for (size_t i = 0; i < count; i++) {
		if (argc < 3) {
			puts(calls[i].name);
		} else if (strcmp(argv[1], calls[i].name) == 0) {
			call = calls[i].call;
			strcpy(memory, calls[i].text);
			place += calls[i].at;
		}
	}
	if (!call)
		return argc < 3 ? 0 : 2;
	first = one ? one : call;
	second = other ? other : call;
	if (strcmp(argv[2], "race") == 0) {
		run_threads(2, before, after);
	} else {
		run_threads(1, before);
		run_threads(1, after);
	}
	return failed;
}

#endif
