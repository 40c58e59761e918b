/* SPDX-License-Identifier: MIT */
/*
 * Tasks that one thread runs have its stack, one after the other: what the first left in
 * the shadow there is nothing to the second. So when a task begins and when it ends, all
 * below starts fresh.
 *
 * How far down is not told by anybody. The shadow stack has seen the stack pointer of
 * each function that was entered since the last time; below the lowest, as far as there
 * are records without a gap of 1 KiB. What may be left is the far part of an array of
 * more than that, in a function that calls none, of which only that part was used.
 *
 * Context: the calling thread, `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_STACK_H
#define DH_RUNTIME_OPENMP_STACK_H

#include "runtime/thread.h"

void dh_omp_stack_fresh(struct dh_self *t, uintptr_t top);

#endif
