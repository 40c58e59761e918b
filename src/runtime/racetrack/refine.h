/* SPDX-License-Identifier: MIT */
/*
 * From object to fields. A refined object has, for each granule that is used from then
 * on, the cells that fasttrack uses (shadow.h), aside (aside.h), and judges accesses as
 * it does: what the strong order leaves open is a race, `observed`, to the byte and with
 * both stacks. What has happened before comes from the diaries of all threads.
 *
 * Context: hooks of the calling thread; others that come to the object meanwhile wait.
 */
#ifndef DH_RUNTIME_RACETRACK_REFINE_H
#define DH_RUNTIME_RACETRACK_REFINE_H

#include "runtime/racetrack/objects.h"
#include "runtime/racetrack/rt.h"

/* The access at hand, to the granules of [from, to): it is in the diary already and yet to
 * be judged, so it is left out. */
struct dh_rt_at_hand {
	uintptr_t from, to;
	bool write;
	uint32_t site; /* 0: not told */
};

/* Refines the object, whose word was w. Where the diaries have nothing of it, or nothing
 * that the access is not after in the weak order or was met from there often enough
 * (meetings.h), and `untold` is not 0, that is its word then instead. Nothing is done where
 * the word has changed since. */
void dh_rt_refine(struct dh_self *t, const struct dh_rt_object *o, dh_rt_word w,
		  dh_rt_word untold, struct dh_rt_at_hand at_hand);

/* Waits until nobody refines the object; its word then. */
dh_rt_word dh_rt_settled(const struct dh_rt_object *o);

#endif
