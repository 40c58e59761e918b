/* SPDX-License-Identifier: MIT */
/*
 * The locks of an access with their modes, as diaries have them: a lockset in which locks
 * that were held for reading are marked. What protects an access by Eraser's rule follows
 * from it, and so does more: who holds a lock for reading and who holds it for writing
 * never meet, whatever they do.
 *
 * Context: any thread. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_MODES_H
#define DH_RUNTIME_RACETRACK_MODES_H

#include "runtime/racetrack/rt.h"

/* The locks that a thread holds, and those of them that it holds for writing, as one
 * set. */
dh_lockset dh_rt_modes_make(struct dh_rt_thread *me, dh_lockset all, dh_lockset write);

/* Those that protect an access of this kind. */
dh_lockset dh_rt_modes_protecting(dh_lockset modes, bool write);

/* Is there a lock that two threads cannot have at once in these modes? */
bool dh_rt_modes_exclude(dh_lockset a, dh_lockset b);

#endif
