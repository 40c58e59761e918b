/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program may define to be told about the run, under ThreadSanitizer's
 * names: __tsan_on_report, __tsan_on_initialize, __tsan_on_finalize. During the first
 * it may ask about the race (abi_report.c). And those that say how it wants to be told,
 * __tsan_default_options, and what not, __tsan_default_suppressions.
 *
 * Context: as said with each. Nothing happens where the program has no such function.
 */
#ifndef DH_RUNTIME_HOOKS_H
#define DH_RUNTIME_HOOKS_H

#include "base/base.h"

struct dh_race_facts;

/* A race has just been reported. The thread is `inside`, so the program's function is
 * not watched. */
void dh_hook_report(const struct dh_race_facts *f);

/* The program's own options for ThreadSanitizer; "" where it has none. Before anything
 * else is ready. */
const char *dh_hook_options(void);

/* The runtime is ready. */
void dh_hook_initialize(void);

/* The run is over; failed says whether races were found. Returns whether it shall count
 * as failed. */
bool dh_hook_finalize(bool failed);

/* The program's own suppressions, as a file of them has them; "" where it has none. */
const char *dh_hook_suppressions(void);

/* The race that the calling thread reports, or NULL. */
const struct dh_race_facts *dh_hook_current(void);

#endif
