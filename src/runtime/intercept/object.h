/* SPDX-License-Identifier: MIT */
/*
 * The memory of synchronisation objects themselves. Locking a mutex, signalling a
 * condition, waiting at a barrier are uses of the object, and orders nothing between the
 * use and the making or the end of the object, that is a race like any other: the lock
 * may be taken before it is one, or after its memory has become something else.
 *
 *   made, gone   a plain write of the whole object
 *   used         an atomic write of its first granule, of a spin lock all of it
 *   wanted       only a look at its second granule, where uses leave nothing, whether
 *                who made it is known: before the object itself brings order
 *
 * Uses do not conflict with each other. A `used` comes after what an acquire learns and
 * before what a release tells, so those of a mutex follow each other in the shadow
 * without a trace of more than one. `wanted` is not for spin locks, which are too small.
 *
 * Context: as touch.h; pc is where the function was called.
 */
#ifndef DH_RUNTIME_INTERCEPT_OBJECT_H
#define DH_RUNTIME_INTERCEPT_OBJECT_H

#include "runtime/atomic_access.h"
#include "runtime/intercept/touch.h"

/* The maker's write is told apart from uses by where it is looked for. */
enum { DH_OBJECT_MAKER = DH_GRANULE };

/* One more of enum dh_dirty: the only record of the time frame is that of a use. For the
 * log of locks (lock_log.h) that is none, or it would be in doubt about each inner lock.
 */
enum { DH_DIRTY_USE = 4 };

/* The thread has taken a lock, in write mode or to share it with readers: it learns, uses
 * and holds it, or goes on in the time frame that it left it in (resume.h). Not for spin
 * locks; nor for writers of a lock that has readers, who learn more. */
void dh_object_locked(struct dh_self *t, const void *lock, bool write, uint64_t pc);

/* The long way of dh_object_wanted(). */
void dh_object_look(const char *at, uint64_t pc);

DH_INLINE void dh_object_made(const void *object, size_t size, uint64_t pc)
{
	dh_writes(object, size, pc);
}

DH_INLINE void dh_object_gone(const void *object, size_t size, uint64_t pc)
{
	dh_writes(object, size, pc);
}

DH_INLINE void dh_object_used_word(const void *object, unsigned size, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (!dh_touches(pc))
		return;
	unsigned before = t->dirty;
	if (DH_LIKELY(dh_caller_kind(pc) == DH_CALLER_WATCHED))
		dh_atomic_write((uintptr_t)object, size, pc);
	else
		dh_touch_behind(object, size, DH_ACCESS_WRITE | DH_ACCESS_ATOMIC, pc);
	if (!(before & DH_DIRTY_RECORD))
		t->dirty = (uint8_t)(before | DH_DIRTY_USE);
}

/* Of as many bytes as the maker's write left in the cell: a cell for different bytes is
 * a slow one. */
DH_INLINE void dh_object_used(const void *object, uint64_t pc)
{
	dh_object_used_word(object, DH_GRANULE, pc);
}

/* Does the thread know of the last write to the granule? */
DH_INLINE bool dh_object_is_known(const struct dh_self *t, const struct dh_cell *c)
{
	dh_record w = DH_LOAD(&c->write);
	return !w ||
	       (!dh_record_is_tag(w) && dh_record_clock(w) <= t->vc[dh_record_slot(w)]);
}

DH_INLINE void dh_object_wanted(const void *object, uint64_t pc)
{
	const struct dh_self *t = dh_thread_self();
	const char *at = (const char *)object + DH_OBJECT_MAKER;
	if (DH_UNLIKELY(!t->vc || t->ignore || t->inside))
		return;
	const struct dh_cell *c = dh_flat_cell((uintptr_t)at);
	if (DH_UNLIKELY(!c || !dh_object_is_known(t, c)))
		dh_object_look(at, pc);
}

#endif
