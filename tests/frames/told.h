/* SPDX-License-Identifier: MIT */
/*
 * What the programs of random.t are made of, in C or C++: functions that call one another
 * and access an arena. V says what accesses are: volatile ones are all told of, one by
 * one; of others some may be left out or told of earlier.
 */
#ifndef TESTS_FRAMES_TOLD_H
#define TESTS_FRAMES_TOLD_H

#include "../loops/types.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define ALWAYS	 __attribute__((always_inline)) inline
#define COLD	 __attribute__((cold, noinline))
#define BARE	 __attribute__((no_sanitize("thread")))
#define NORETURN __attribute__((noreturn))
#define TAIL	 __attribute__((musttail)) return
#define UNUSED	 __attribute__((unused))

#define AT(type, p, k) (*(V type *)((p) + (k)))

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long frames_fn(char *p, long n, int fuel);

enum {
	ARENA = 1 << 16,
	FIRST = ARENA / 2, /* where functions begin */
	CHOICES = 8,
};

struct job {
	const char *name;
	frames_fn *function;
	long n;
	int fuel;
};

/* Not instrumented: they order threads. */
void take(void *lock);
void give(void *lock);

/* Assembly that calls what does as much; which may go on at a label. */
#ifdef __x86_64__
#define PROBE_TEXT                                                                       \
	"mov %%rsp, %%rbx\n\tlea -128(%%rsp), %%rsp\n\tand $-16, %%rsp\n\t"              \
	"call probe\n\tmov %%rbx, %%rsp"
#define PROBE_SPOILS                                                                     \
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",      \
	    "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "cc", "memory"
#define PROBE()	      __asm__ volatile(PROBE_TEXT : : : PROBE_SPOILS)
#define PROBE_TO(...) __asm__ goto(PROBE_TEXT : : : PROBE_SPOILS : __VA_ARGS__)
#else
#define PROBE()	      probe()
#define PROBE_TO(...) __asm__ goto("" : : : : __VA_ARGS__)
#endif
void probe(void);

/* A place for a jump to go to, to hand to setjmp(), and when it was not needed. */
jmp_buf *landing(void);
void landed(void);
/* To the last such place. */
NORETURN void leap(void);

/* Of the program: its functions, and a call of one from which it comes back whatever
 * happens in there. */
extern frames_fn *V choice[CHOICES];
extern const struct job jobs[];
extern const int jobs_count;
unsigned long guarded(frames_fn *f, char *p, long n, int fuel);

#ifdef __cplusplus
}
#endif
#endif
