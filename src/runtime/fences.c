/* SPDX-License-Identifier: MIT */
#include "runtime/fences.h"

enum dh_fences dh_fences;
bool dh_fences_light;

/* Once there have been some, there may have been one at any time. */
static void become(bool some, enum dh_fences after_none)
{
	enum dh_fences was = __atomic_load_n(&dh_fences, __ATOMIC_RELAXED), now;
	do {
		if (was == DH_FENCES_SOME || was == DH_FENCES_LATE)
			return;
		now = !some ? DH_FENCES_NONE
			    : was == DH_FENCES_NONE ? after_none : DH_FENCES_SOME;
	} while (!__atomic_compare_exchange_n(&dh_fences, &was, now, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void dh_fences_note(bool some)
{
	become(some, DH_FENCES_LATE);
}

void dh_fences_enlist(bool alone)
{
	become(true, alone ? DH_FENCES_SOME : DH_FENCES_LATE);
	__atomic_store_n(&dh_fences_light, true, __ATOMIC_RELAXED);
}
