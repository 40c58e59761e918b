/* SPDX-License-Identifier: MIT */
/*
 * The locks that a thread holds, as locksets: all of them, and those held in write mode.
 * Reentrant locks are told once for each level, so levels are counted.
 *
 * And when each slot has held a lock last: what it did under the lock was not later.
 *
 * Context: hooks of the thread itself, but where it says any. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_HELD_H
#define DH_RUNTIME_RACETRACK_HELD_H

#include "runtime/racetrack/rt.h"

/* At start-up. */
void dh_rt_held_init(void);

void dh_rt_held_take(struct dh_rt_thread *me, uintptr_t lock, bool write);
void dh_rt_held_leave(struct dh_rt_thread *me, uintptr_t lock, bool write);

/* The thread has this slot now, with the locks that it holds; or has ended, where the
 * slot is 0. */
void dh_rt_held_move(struct dh_rt_thread *me, uint32_t slot);

/* Any thread: the last clock of a slot with which it may have held all of these locks at
 * once; UINT32_MAX while it does, 0 where it never has. For no locks: the last that it
 * left a trace with. */
uint32_t dh_rt_held_until(uint32_t slot, dh_lockset locks);

/* Who gives this back has not taken it. If it is a lock, to hold it says nothing of order
 * any more: it is one in doubt. */
void dh_rt_held_doubt(uintptr_t lock);

/* Any thread: is there one of these in doubt? */
bool dh_rt_held_doubtful(dh_lockset locks);

/* Any thread: what was a lock in this memory is none any more. */
void dh_rt_held_forget(uintptr_t addr, size_t size);

#endif
