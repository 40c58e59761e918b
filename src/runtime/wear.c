/* SPDX-License-Identifier: MIT */
/* How often granules have wanted sets; see wear.h. */
#include "runtime/wear.h"

enum {
	ROOM_BITS = 16,
	COUNT_BITS = 8,
	COUNT_MOST = (1 << COUNT_BITS) - 1,
};

/* Which granule, by some bits of its hash, and in the lowest ones its count. */
static uint32_t counts[1 << ROOM_BITS]; /* atomic */

bool dh_wear(uintptr_t granule)
{
	const uint64_t hash = granule / 8 * 0x9e3779b97f4a7c15ull;
	uint32_t *place = &counts[hash >> (64 - ROOM_BITS)];
	const uint32_t who = (uint32_t)(hash >> 16) & ~(uint32_t)COUNT_MOST;
	uint32_t was = __atomic_load_n(place, __ATOMIC_RELAXED), count = was & COUNT_MOST;
	if ((was ^ who) >> COUNT_BITS && count) {
		__atomic_store_n(place, was - 1, __ATOMIC_RELAXED);
		return false;
	}
	if (count < COUNT_MOST)
		__atomic_store_n(place, who | (count + 1), __ATOMIC_RELAXED);
	return count >= DH_WORN;
}
