/* SPDX-License-Identifier: MIT */
/*
 * Slots: the places of threads in vector clocks, DH_SLOTS - 2 of them. A slot is used
 * by one thread after the other, its clock going on; the history of its owners tells
 * whose a record is.
 *
 * Exact reuse: a new thread gets a slot whose last owner its creator knows to the end,
 * so that "known up to c" means the same for both. When no such slot is free and none
 * is unused, one whose end the creator does not know is shared (counted: a race of the
 * former owner may be taken for ordered; no false alarm can come of it). When all are
 * in use by live threads the new one is not watched (counted).
 *
 * Concurrency: any thread; one lock inside.
 */
#ifndef DH_RUNTIME_SLOTS_H
#define DH_RUNTIME_SLOTS_H

#include "base/lock.h"

/* Guards ends and joins of threads (thread.c) and the slots. */
extern struct dh_lock dh_threads_lock;

/* Is to know a slot's clock not to know all that its owner knew then? So it is once a
 * slot has been shared, or a thread has been given the clocks of others as they were
 * (dh_thread_know_all()). */
extern bool dh_slots_vague; /* atomic */

/* A slot for thread `id`, whose creator has this clock (NULL: nothing is known). 0
 * where none is left. */
uint32_t dh_slot_take(const uint32_t *creator, uint32_t id);

/* The first clock of the present owner. */
uint32_t dh_slot_first_clock(uint32_t slot);

/* The owner has ended with this clock. */
void dh_slot_give(uint32_t slot, uint32_t last);

/* The thread's clock is full: another slot for it, or 0. The old one is used up. */
uint32_t dh_slot_renew(const uint32_t *vc, uint32_t id, uint32_t old);

/* The slot's present user goes by another name from this clock on: `id` is what
 * dh_slot_owner() will say, while dh_slot_user() stays. `host` is the thread of the
 * kernel that runs it, likewise by id. Thousands of the same in a row cost no more than
 * one. */
void dh_slot_rename(uint32_t slot, uint32_t first, uint32_t id, uint32_t host);

/* Does a thread that lives, or is about to, have the slot, and which? */
bool dh_slot_user(uint32_t slot, uint32_t *id);
bool dh_slot_user_locked(uint32_t slot, uint32_t *id); /* under dh_threads_lock */

/* The last clock that was used in a slot that none has. */
uint32_t dh_slot_last_clock(uint32_t slot);

/* Who had the slot when its clock was this. */
bool dh_slot_owner(uint32_t slot, uint32_t clock, uint32_t *id);

/* The thread of the kernel that ran it then. */
bool dh_slot_host(uint32_t slot, uint32_t clock, uint32_t *host);

void dh_slots_get_stats(uint64_t *reused, uint64_t *shared, uint64_t *renewed);

#endif
