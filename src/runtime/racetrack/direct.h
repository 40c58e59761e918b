/* SPDX-License-Identifier: MIT */
/*
 * Fields that a thread may use directly: their accesses end in the entry points, on the
 * cells, as those of fasttrack do. That goes for a thread which knows nothing by locks
 * alone and holds none (all since a barrier or since it was made, say), and for lines of
 * memory that are refined: the cells say all that there is to say of such an access, and
 * no diary and no word of a field is kept. The word of the object says so
 * (DH_RT_DIRECT), so that who has something to suspect of its fields asks the cells too.
 *
 * A time frame with direct accesses has no others under locks: it ends when the first
 * lock is taken. So a record of such a frame is one without locks, which is how
 * the cells can stand for the diary.
 *
 * Context: hooks of the calling thread. Allocates.
 */
#ifndef DH_RUNTIME_RACETRACK_DIRECT_H
#define DH_RUNTIME_RACETRACK_DIRECT_H

#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/lines.h"

/* The line's object is refined and has the word w, whose state the thread has just read:
 * lets the thread use it directly from now on, if it may. */
void dh_rt_direct_allow(struct dh_self *t, struct dh_line *l, dh_rt_word w);

/* An access that the entry points could not do: addr is aside. */
void dh_rt_direct_access(struct dh_self *t, uintptr_t addr, size_t size, unsigned flags,
			 uint64_t pc);

/* The thread is about to learn something or to take a lock. */
void dh_rt_direct_end(struct dh_self *t, bool lock);

/* Who suspects comes to the fields of an object with DH_RT_DIRECT: none of their words
 * stands for all accesses any more. Returns the object's word. */
dh_rt_word dh_rt_direct_settle(const struct dh_rt_object *o, dh_rt_word w);

/* Calls f for the direct accesses that the cells of a granule have; aside is its address
 * there. */
void dh_rt_direct_each(struct dh_self *t, uintptr_t aside, dh_rt_told *f, void *with);

#endif
