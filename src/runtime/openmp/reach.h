/* SPDX-License-Identifier: MIT */
/*
 * What is a thread's because its own variables lead to it: a buffer that a thread-local
 * pointer points to, the elements of a thread-local vector, or of a private copy of one.
 * Tasks that one thread runs use it in turn, like the variables themselves (memory.h).
 *
 * Nobody tells whose a block of the heap is. So the thread's variables in the program and
 * in the libraries that it brought along are searched for a pointer into the block, and
 * so are small blocks that they point to, as far as a few steps go. What was found is
 * remembered: the pointer may be overwritten before the block is freed.
 *
 * Context: the calling thread, when a race is about to be reported.
 */
#ifndef DH_RUNTIME_OPENMP_REACH_H
#define DH_RUNTIME_OPENMP_REACH_H

#include "base/base.h"

/* Once, where the loader may be asked. */
void dh_omp_reach_init(void);

/* Is addr in a block that the calling thread's variables lead to? */
bool dh_omp_reach(uintptr_t addr);

/* What is at addr is the calling thread's own: if it is a pointer into a block, so is the
 * block. */
void dh_omp_reach_from(uintptr_t addr);

#endif
