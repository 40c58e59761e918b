/* SPDX-License-Identifier: MIT */
/* See meetings.h. An entry is both sites, and the count below them. */
#include "runtime/racetrack/meetings.h"
#include "runtime/access.h"
#include "runtime/record.h"

enum { PLACES = 4096, COUNT_BITS = 64 - 2 * DH_SITE_BITS };
_Static_assert(DH_RT_MEETINGS < 1 << COUNT_BITS, "a count fits");

static uint64_t places[PLACES]; /* atomic */

bool dh_rt_meetings_enough(uint32_t first, uint32_t second)
{
	uint64_t pair = ((uint64_t)first << DH_SITE_BITS | second) << COUNT_BITS;
	uint64_t *place = &places[dh_mix(pair) % PLACES], have = DH_LOAD(place);
	if ((have ^ pair) >> COUNT_BITS)
		have = pair;
	if (have - pair >= DH_RT_MEETINGS)
		return true;
	DH_STORE(place, have + 1);
	return false;
}
