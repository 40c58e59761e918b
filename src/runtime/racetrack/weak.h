/* SPDX-License-Identifier: MIT */
/*
 * The weak order: all but what locks bring about. The scalar clock of a thread is that
 * of the strong order (thread.h); here is what it knows of the others without locks, and
 * what synchronisation objects carry of that (struct dh_sync.weak).
 *
 * A clock has an entry for each slot, and slots are reused, so that it has at most
 * DH_SLOTS of them: fewer than the 8192 at which the paper's clocks forget their older
 * half. Nothing is ever dropped.
 *
 * Where a program uses fences, relaxed atomic operations count as ordering too. More
 * order than there is hides something that is `potential`; it can make nothing
 * `observed`, since that is for the strong order to say.
 *
 * Context: hooks of the thread itself. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_WEAK_H
#define DH_RUNTIME_RACETRACK_WEAK_H

#include "runtime/racetrack/rt.h"

/* What the thread knows goes to who receives from addr; and the reverse. */
void dh_rt_weak_send(struct dh_self *t, uintptr_t addr, bool replace);
void dh_rt_weak_receive(struct dh_self *t, uintptr_t addr);

/* Atomic operations, by enum dh_observed_atomic; fences make all of them count. False
 * where it orders nothing. */
bool dh_rt_weak_atomic(struct dh_self *t, unsigned what, uintptr_t addr, int order);
void dh_rt_weak_fence(void);

/* Between threads, by id: before a thread is made and when it ends; when it starts and
 * when another has seen its end. */
void dh_rt_weak_leave(struct dh_self *t, uint32_t id);
void dh_rt_weak_take(struct dh_self *t, uint32_t id);

/* Finds out whether the weak clock has all that the strong one has, which receiving does
 * too. */
void dh_rt_weak_compare(struct dh_self *t);

/* The thread comes after all that its strong clock has. */
void dh_rt_weak_all(struct dh_self *t);

#endif
