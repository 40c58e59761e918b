/* SPDX-License-Identifier: MIT */
/*
 * Fork. The child goes on being watched: it finds all tables of the runtime whole, has
 * the calling thread alone, and what was before the fork is ordered before all that it
 * does. Its findings are its own (report.h).
 *
 * Context: any thread, in signal handlers too.
 */
#ifndef DH_RUNTIME_INTERCEPT_FORK_H
#define DH_RUNTIME_INTERCEPT_FORK_H

#include "base/base.h"

/* At start-up, once it is clear that the process is being watched. */
void dh_fork_init(void);

/* Around what copies the process: before in the parent, then one of the others. Between
 * them nothing else of the runtime may be called, and all signals are blocked. */
void dh_fork_before(void);
void dh_fork_in_parent(void);
void dh_fork_in_child(void);

/* Does this code run in a process that shares the memory of the watched one, but is
 * another: between vfork() and exec? What it does to itself (signal handlers, the end)
 * is not to be noted then. Costs a system call. */
bool dh_in_borrowed_memory(void);

#endif
