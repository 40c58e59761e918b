/* SPDX-License-Identifier: MIT */
/* See modes.h. */
#include "runtime/racetrack/modes.h"

/* On the number of a lock: held for reading. */
#define READING ((uint32_t)1 << 31)

dh_lockset dh_rt_modes_make(struct dh_rt_thread *me, dh_lockset all, dh_lockset write)
{
	struct dh_rt_modes *last = &me->modes;
	uint32_t count;
	if (DH_LIKELY(all == write))
		return all;
	if (last->all == all && last->write == write)
		return last->made;
	dh_lockset made = write;
	const uint32_t *locks = dh_lockset_items(dh_rt_locksets, all, &count);
	for (uint32_t i = 0; i < count; i++)
		if (!dh_lockset_has(dh_rt_locksets, write, locks[i]))
			made = dh_lockset_add(dh_rt_locksets, made, locks[i] | READING);
	*last = (struct dh_rt_modes){all, write, made};
	return made;
}

dh_lockset dh_rt_modes_protecting(dh_lockset modes, bool write)
{
	uint32_t count;
	const uint32_t *locks = dh_lockset_items(dh_rt_locksets, modes, &count);
	dh_lockset set = modes;
	for (uint32_t i = 0; i < count; i++) {
		if (!(locks[i] & READING))
			continue;
		set = dh_lockset_remove(dh_rt_locksets, set, locks[i]);
		if (!write)
			set = dh_lockset_add(dh_rt_locksets, set, locks[i] & ~READING);
	}
	return set;
}

bool dh_rt_modes_exclude(dh_lockset a, dh_lockset b)
{
	uint32_t count;
	const uint32_t *locks = dh_lockset_items(dh_rt_locksets, a, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t lock = locks[i] & ~READING;
		if (dh_lockset_has(dh_rt_locksets, b, lock) ||
		    (lock == locks[i] &&
		     dh_lockset_has(dh_rt_locksets, b, lock | READING)))
			return true;
	}
	return false;
}
