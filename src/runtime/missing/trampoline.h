/* SPDX-License-Identifier: MIT */
/*
 * The code that stands between a call of a function that is not instrumented and the
 * function: tells of the call (dh_missing_enter), jumps to the function with its
 * arguments as they were, and gets control back when it returns (dh_missing_leave), with
 * what it returns as it was. The function finds its stack as if the program had called
 * it, but for the address that it returns to.
 *
 * That address, and the program's rbx, are kept in a struct dh_call, and rbx has the
 * struct's address while the function runs: whoever returns, unwinds or switches stacks
 * brings rbx back to the code behind the call, whatever happened in between. To unwinders
 * that code is a frame of its own between the function and its caller, with rules that
 * find both in the struct, and a personality routine (dh_missing_personality) that tells
 * when an exception passes.
 *
 * Context: any thread; signal handlers may come at any instruction.
 */
#ifndef DH_RUNTIME_MISSING_TRAMPOLINE_H
#define DH_RUNTIME_MISSING_TRAMPOLINE_H

#include "base/base.h"

/* Functions that can be hooked. Each has 16 bytes of code in the library. */
enum { DH_TRAMPOLINES = 8192 };

/* What the code behind the call lives on: the first part of a struct dh_call. */
struct dh_away {
	uint64_t back;		/* where the call returns to */
	uint64_t rbx;		/* the caller's */
	uint64_t rax, rdx, rbp; /* while dh_missing_leave() runs */
};

/* What dh_missing_enter() wants: the call is told of if away is not NULL. In both cases
 * the function is jumped to. */
struct dh_entering {
	struct dh_away *away;
	uint64_t function;
};

/* False where this machine or process does not allow it: then nothing may be hooked. */
bool dh_trampoline_prepare(void);

/* The code for the function of this number, to be called in its place. */
uintptr_t dh_trampoline_at(uint32_t number);

/* Is it such code? */
bool dh_trampoline_is(uintptr_t address);

/* Is it where hooked functions return to? */
bool dh_trampoline_is_back(uintptr_t address);

/* ---- called by the code; defined in calls.c ---- */

/* arguments: the six integer registers; back: where the address that the function is to
 * return to lies. */
struct dh_entering dh_missing_enter(uint32_t number, const uint64_t *arguments,
				    const uint64_t *back);
void dh_missing_leave(struct dh_away *away);

/* An exception, or the end of the thread, passes the innermost hooked call. */
void dh_missing_unwound(void);

#endif
