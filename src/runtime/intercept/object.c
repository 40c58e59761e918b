/* SPDX-License-Identifier: MIT */
/* See object.h. */
#include "runtime/intercept/object.h"

DH_NOINLINE void dh_object_look(const char *at, uint64_t pc)
{
	const struct dh_cell *c = dh_shadow_find((uintptr_t)at, 0, false);
	if (c && !dh_object_is_known(dh_thread_self(), c) && dh_touches(pc))
		dh_touch(at, DH_GRANULE, DH_ACCESS_ATOMIC, pc);
}
