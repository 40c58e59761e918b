/* SPDX-License-Identifier: MIT */
/*
 * Locks of the runtime's own that a function of the program's takes: the thread is `inside`
 * as long as it has one, so that no signal handler, which might want the same, comes in
 * between.
 */
#ifndef DH_RUNTIME_INSIDE_H
#define DH_RUNTIME_INSIDE_H

#include "base/lock.h"
#include "runtime/thread.h"

/* The calling thread, for dh_unlock_inside(). */
DH_INLINE struct dh_self *dh_lock_inside(struct dh_lock *lock)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(lock);
	return t;
}

DH_INLINE void dh_unlock_inside(struct dh_lock *lock, struct dh_self *t)
{
	dh_unlock(lock);
	dh_leave_runtime(t);
}

#endif
