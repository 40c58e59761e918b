/* SPDX-License-Identifier: MIT */
/*
 * Fibers: flows of control that the program itself switches between, on one thread or
 * several. Each is a thread to the detector: it has a slot, a clock, a shadow stack and
 * locks of its own, all in what struct dh_self leads to; to switch is to change what is
 * in there. A thread's own flow, the one it was started with, is a fiber too.
 *
 * Context: a thread that runs code of the program, not within a signal handler; there,
 * and where the thread is not attached, nothing is done. Allocates.
 */
#ifndef DH_RUNTIME_FIBER_H
#define DH_RUNTIME_FIBER_H

#include "runtime/thread.h"

struct dh_fiber;

/* The one that runs; NULL where the thread is not attached. */
struct dh_fiber *dh_fiber_current(void);

/* A new one. What its creator has done happens before all that it does. pc is where. */
struct dh_fiber *dh_fiber_create(uint64_t pc);

/* It will not run again. Not for the one that runs, nor for a thread's own. */
void dh_fiber_destroy(struct dh_fiber *f);

/* f runs from now on. sync: what ran until now happens before what f does. */
void dh_fiber_switch(struct dh_fiber *f, bool sync);

void dh_fiber_name(struct dh_fiber *f, const char *name);

/* The thread ends: back to its own flow. Nothing where it never left that. */
void dh_fiber_thread_ends(void);

#endif
