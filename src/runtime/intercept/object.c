/* SPDX-License-Identifier: MIT */
/* See object.h. */
#include "runtime/intercept/object.h"
#include "runtime/observer.h"
#include "runtime/resume.h"

static bool is_known(uintptr_t at)
{
	if (DH_UNLIKELY(dh_observer != NULL))
		return !dh_observe_unknown(at);
	const struct dh_cell *c = dh_shadow_find(at, false);
	return !c || dh_object_is_known(dh_thread_self(), c);
}

DH_NOINLINE void dh_object_look(const char *at, uint64_t pc)
{
	if (!is_known((uintptr_t)at) && dh_touches(pc))
		dh_touch(at, DH_GRANULE, DH_ACCESS_ATOMIC, pc);
}

void dh_object_locked(struct dh_self *t, const void *lock, bool write, uint64_t pc)
{
	const uintptr_t addr = (uintptr_t)lock;
	const bool again = dh_resume(t, addr, write, pc);
	if (!again) {
		dh_object_wanted(lock, pc);
		dh_sync_take(t, addr);
	}
	dh_object_used(lock, pc);
	if (!again)
		dh_held_add(t, addr, write, pc);
}
