/* SPDX-License-Identifier: MIT */
/*
 * What the annotations mean, whatever name they come under (abi_annotate.c,
 * abi_mutex.c, include/deadheat.h).
 *
 * Context: any thread that runs code of the program. Nothing happens where the thread is
 * not watched. May allocate.
 */
#ifndef DH_RUNTIME_ANNOTATE_H
#define DH_RUNTIME_ANNOTATE_H

#include "base/base.h"

/* All that this thread did happens before what follows a happens_after() on the same
 * address by any thread. Several add up. */
void dh_annotate_happens_before(uintptr_t addr);
void dh_annotate_happens_after(uintptr_t addr);

/* Accesses, or synchronisation, of this thread are not looked at in between. Nests. */
void dh_annotate_ignore_begin(void);
void dh_annotate_ignore_end(void);
void dh_annotate_ignore_sync_begin(void);
void dh_annotate_ignore_sync_end(void);

/* The memory starts a new life: earlier accesses and synchronisation through it are of
 * no concern to what follows. */
void dh_annotate_new_memory(uintptr_t addr, size_t size);

/* What is at `from` now has moved to `to`, where it starts a new life but for what orders
 * threads through it, which goes with it. The two may overlap. */
void dh_annotate_moved(uintptr_t from, uintptr_t to, size_t size);

/* Races on these bytes are not to be reported. why may be NULL. */
void dh_annotate_benign(uintptr_t addr, size_t size, const char *why);

/* These bytes have a name in reports. */
void dh_annotate_variable_name(uintptr_t addr, size_t size, const char *name);

/* The calling thread's name in reports. */
void dh_annotate_thread_name(const char *name);

/* ---- locks of the program's own making ---- */

enum dh_lock_mode { DH_LOCK_WRITE, DH_LOCK_READ };

void dh_annotate_lock_born(uintptr_t lock, uint64_t pc);
void dh_annotate_lock_gone(uintptr_t lock);
void dh_annotate_lock_name(uintptr_t lock, const char *name);

/* The thread has got the lock, so many times over / is about to give it back once. */
void dh_annotate_locked(uintptr_t lock, enum dh_lock_mode mode, int times, uint64_t pc);
void dh_annotate_unlocking(uintptr_t lock, enum dh_lock_mode mode);

/* Gives it back as often as it was got; returns how often. */
int dh_annotate_unlocking_all(uintptr_t lock, enum dh_lock_mode mode);

#endif
