/* SPDX-License-Identifier: MIT */
/* Asking the kernel for pages of shadow before they are used; see warm.h. */
#include "runtime/warm.h"
#include "base/sys.h"

uint32_t dh_warm[DH_WARM_ROOM];

void dh_warm_up(const struct dh_cell *c)
{
	uint32_t stretch = (uint32_t)((uintptr_t)c >> DH_WARM_SHIFT);
	__atomic_store_n(&dh_warm[stretch % DH_WARM_ROOM], stretch, __ATOMIC_RELAXED);
	dh_sys_populate((void *)((uintptr_t)stretch << DH_WARM_SHIFT),
			(size_t)1 << DH_WARM_SHIFT);
}

void dh_warm_forget(uintptr_t from, uintptr_t to)
{
	uintptr_t first = from >> DH_WARM_SHIFT, end = ((to - 1) >> DH_WARM_SHIFT) + 1;
	for (uintptr_t i = first; i < end && i < first + DH_WARM_ROOM; i++)
		__atomic_store_n(&dh_warm[i % DH_WARM_ROOM], 0, __ATOMIC_RELAXED);
}
