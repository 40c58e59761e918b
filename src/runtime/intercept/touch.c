/* SPDX-License-Identifier: MIT */
/* See touch.h. */
#include "runtime/intercept/touch.h"

DH_NOINLINE void dh_touch_behind(const void *at, size_t n, unsigned flags, uint64_t pc)
{
	uint64_t behind = dh_caller_behind(dh_thread_self());
	if (behind)
		dh_call_begin(behind);
	dh_access_range((uintptr_t)at, n, flags, pc);
	if (behind)
		dh_call_end();
}
