/* SPDX-License-Identifier: MIT */
/*
 * Stacks with room. A program's handlers may have a stack of their own (sigaltstack) of a
 * few kilobytes, half of which the kernel takes for the registers; what a report needs would
 * run over its end, into other memory of the program.
 *
 * Context: the calling thread, signal handlers included.
 */
#ifndef DH_RUNTIME_ROOMY_H
#define DH_RUNTIME_ROOMY_H

#include "base/base.h"

/* Calls f(argument): on a stack of the runtime's own where the thread is on a small one for
 * handlers, and with all signals blocked then, because to the kernel that stack is free. */
void dh_roomy_call(void (*f)(void *), void *argument);

/* Calls f(argument) on the stack that ends at top. x86-64 only; elsewhere on the present
 * one. */
void dh_call_on_stack(void *top, void (*f)(void *), void *argument);

#endif
