/* SPDX-License-Identifier: MIT */
/*
 * Sections that one thread at a time is in, and locks of OpenMP libraries: what their
 * interceptors have in common.
 */
#ifndef DH_RUNTIME_INTERCEPT_SECTION_H
#define DH_RUNTIME_INTERCEPT_SECTION_H

#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* After the library's call, at pc. */
DH_INLINE void dh_section_entered(const void *lock, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_take(t, (uintptr_t)lock);
	dh_held_add(t, (uintptr_t)lock, true, pc);
}

/* Before it. */
DH_INLINE void dh_section_leaving(const void *lock)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_leave(t, (uintptr_t)lock);
	dh_held_remove(t, (uintptr_t)lock);
}

#endif
