/* SPDX-License-Identifier: MIT */
/*
 * Whole stacks of calls that come through code that is not instrumented. The shadow
 * stack knows of instrumented functions only: when libstdc++ calls pthread_create() for
 * a function of the program, the line in that function is in no frame of it. The real
 * stack has it.
 *
 * For rare operations whose stack matters, like the creation of a thread: a walk along
 * the real stack takes microseconds.
 */
#ifndef DH_RUNTIME_REALSTACK_H
#define DH_RUNTIME_REALSTACK_H

#include "runtime/thread.h"

/* The site of pc, where the calling interposed function returns to, in the present
 * context, with what lies between the two on the real stack. The thread is `inside`. */
uint32_t dh_realstack_site(struct dh_self *t, uint64_t pc);

#endif
