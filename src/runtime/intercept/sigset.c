/* SPDX-License-Identifier: MIT */
/* Sets of signals: those of the program, and the thread's own; its stack for handlers. */
#define _GNU_SOURCE
#include <signal.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- in the program's memory ---- */

/* The kernel's part of a set: the C library touches no more of it. */
enum { SIZE = 8 };

#define MAKE(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(sigset_t *set)                                                \
	{                                                                                \
		int r = DH_REAL(name)(set);                                              \
		if (r == 0)                                                              \
			dh_writes(set, SIZE, DH_CALLER());                               \
		return r;                                                                \
	}
MAKE(sigemptyset)
MAKE(sigfillset)
MAKE(sigpending)

#define CHANGE(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(sigset_t *set, int number)                                    \
	{                                                                                \
		int r = DH_REAL(name)(set, number);                                      \
		if (r == 0)                                                              \
			dh_writes(set, SIZE, DH_CALLER());                               \
		return r;                                                                \
	}
CHANGE(sigaddset)
CHANGE(sigdelset)

DH_REAL_WANT(sigismember);
DH_EXPORT int sigismember(const sigset_t *set, int number)
{
	int r = DH_REAL(sigismember)(set, number);
	if (r >= 0)
		dh_reads(set, SIZE, DH_CALLER());
	return r;
}

/* ---- the thread's ---- */

#define MASK(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int how, const sigset_t *set, sigset_t *old)                  \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		int r = DH_REAL(name)(how, set, old);                                    \
		if (r == 0 && set)                                                       \
			dh_reads(set, SIZE, pc);                                         \
		if (r == 0 && old)                                                       \
			dh_writes(old, SIZE, pc);                                        \
		return r;                                                                \
	}
MASK(sigprocmask)
MASK(pthread_sigmask)

DH_REAL_WANT(sigaltstack);
DH_EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	uint64_t pc = DH_CALLER();
	DH_READS_OBJECT(stack, pc);
	int r = DH_REAL(sigaltstack)(stack, old);
	if (r == 0)
		DH_WRITES_OBJECT(old, pc);
	return r;
}
