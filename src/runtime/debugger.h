/* SPDX-License-Identifier: MIT */
/*
 * For `deadheat run --break`: functions that do nothing, for a debugger to stop in, and the
 * races so far in a form that it can read without knowing our types (deadheat.gdb). Nothing
 * is kept, and nobody waits, unless the environment has DEADHEAT_BREAK.
 *
 * Concurrency: any thread, `inside`; one lock inside. Does not allocate.
 */
#ifndef DH_RUNTIME_DEBUGGER_H
#define DH_RUNTIME_DEBUGGER_H

#include "runtime/report.h"

/* At start-up. */
void dh_debugger_init(void);

/* A race has been sent to the helper: waits until it is written, notes it, and lets the
 * debugger stop here, unless it does not count. */
void dh_debugger_race(const struct dh_race_facts *f);

/* The summary has been written; so many races count. */
void dh_debugger_end(uint64_t standing);

#endif
