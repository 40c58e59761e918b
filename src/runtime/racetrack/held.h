/* SPDX-License-Identifier: MIT */
/*
 * The locks that a thread holds, as locksets: all of them, and those held in write mode.
 * Reentrant locks are told once for each level, so levels are counted.
 *
 * Context: hooks of the thread itself. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_HELD_H
#define DH_RUNTIME_RACETRACK_HELD_H

#include "runtime/racetrack/rt.h"

/* At start-up. */
void dh_rt_held_init(void);

void dh_rt_held_take(struct dh_rt_thread *me, uintptr_t lock, bool write);
void dh_rt_held_leave(struct dh_rt_thread *me, uintptr_t lock, bool write);

#endif
