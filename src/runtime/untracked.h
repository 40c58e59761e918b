/* SPDX-License-Identifier: MIT */
/*
 * Code and variables that the user's annotations (`deadheat run --annotations`) take out of
 * the detection. `deadheat run` has looked up the names, and hands over addresses in the
 * environment, DEADHEAT_UNTRACKED: lines that are the path of a module, or a letter (c code,
 * d data) with the first and last+1 byte of a range in it, in hexadecimal, from the module's
 * lowest address.
 *
 * Asked when a race is about to be reported and never before, so it costs nothing until
 * then.
 *
 * Concurrency: any thread, `inside`. Allocates at start-up.
 */
#ifndef DH_RUNTIME_UNTRACKED_H
#define DH_RUNTIME_UNTRACKED_H

#include "base/base.h"

/* At start-up. */
void dh_untracked_init(void);

/* Is this variable, or the code at one of these places, not to be looked at? Counted. */
bool dh_untracked(uintptr_t address, uint64_t pc, uint64_t other_pc);

/* How often the answer was yes. */
uint64_t dh_untracked_hits(void);

#endif
