/* SPDX-License-Identifier: MIT */
/*
 * See stacks.h. A stack is one mapping of the kernel, or, where it has no guard page,
 * part of one that it shares with others: then the owner is the thread whose stack
 * begins next above the address. The main thread's begins where its mapping ends.
 */
#include "runtime/stacks.h"
#include "runtime/modules.h"

enum { ABOVE = 4096 }; /* how far a stack goes beyond where it was noted */

const struct dh_thread_info *dh_stack_owner(uintptr_t address)
{
	uintptr_t start, end, best = UINTPTR_MAX;
	const struct dh_thread_info *owner = NULL, *info;
	if (!dh_modules_mapping(address, &start, &end))
		return NULL;
	for (uint32_t id = 0; (info = dh_thread_by_id(id)); id++) {
		if (!__atomic_load_n(&info->running, __ATOMIC_ACQUIRE) ||
		    info->stack_at < start || info->stack_at >= end)
			continue;
		uintptr_t top = id == 0 ? end : info->stack_at + ABOVE;
		if (address < top && top < best) {
			best = top;
			owner = info;
		}
	}
	return owner;
}
