/* SPDX-License-Identifier: MIT */
#include "runtime/fences.h"

enum dh_fences dh_fences;

/* Once there have been some, there may have been one at any time. */
void dh_fences_note(bool some)
{
	enum dh_fences now = DH_FENCES_NONE;
	if (dh_fences_are(DH_FENCES_SOME) || dh_fences_are(DH_FENCES_LATE))
		return;
	if (some)
		now = dh_fences_are(DH_FENCES_NONE) ? DH_FENCES_LATE : DH_FENCES_SOME;
	__atomic_store_n(&dh_fences, now, __ATOMIC_RELAXED);
}
