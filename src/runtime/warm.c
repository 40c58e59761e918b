/* SPDX-License-Identifier: MIT */
/* Pages of shadow before they are used; see warm.h. */
#include "runtime/warm.h"

uint32_t dh_warm[DH_WARM_ROOM];

/* The kernel could be asked to make them all (MADV_POPULATE_WRITE), which takes half of
 * the time. But a program in a sandbox, whose memory the kernel would have given without
 * being asked, must not die of a system call that is ours. */
void dh_warm_up(const struct dh_cell *c)
{
	enum { PAGE = 4096 };
	uint32_t stretch = (uint32_t)((uintptr_t)c >> DH_WARM_SHIFT);
	uintptr_t from = (uintptr_t)stretch << DH_WARM_SHIFT;
	__atomic_store_n(&dh_warm[stretch % DH_WARM_ROOM], stretch, __ATOMIC_RELAXED);
	for (uintptr_t at = from; at < from + ((uintptr_t)1 << DH_WARM_SHIFT);
	     at += PAGE) {
		dh_record none = 0; /* a write, whatever is there, that changes nothing */
		__atomic_compare_exchange_n((dh_record *)at, &none, 0, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void dh_warm_forget(uintptr_t from, uintptr_t to)
{
	uintptr_t first = from >> DH_WARM_SHIFT, end = ((to - 1) >> DH_WARM_SHIFT) + 1;
	for (uintptr_t i = first; i < end && i < first + DH_WARM_ROOM; i++)
		__atomic_store_n(&dh_warm[i % DH_WARM_ROOM], 0, __ATOMIC_RELAXED);
}
