/* SPDX-License-Identifier: MIT */
/*
 * One step of the machine: from the word of an object, or of a field, and an access to
 * the next word. It is the machine of the paper's Figure 4 with two differences: it keeps
 * a label wherever there is one owner or one last access, so that the first hand-over is
 * judged like every other; and an access that the strong order leaves open never passes.
 *
 * Context: any; reads clocks of the calling thread, looks up locksets.
 */
#ifndef DH_RUNTIME_RACETRACK_STEP_H
#define DH_RUNTIME_RACETRACK_STEP_H

#include "runtime/racetrack/rt.h"

/* An access, as the machine sees it. */
struct dh_rt_step {
	uint64_t epoch;	      /* of the accessing thread, in place */
	const uint32_t *vc;   /* its strong clock */
	const uint32_t *weak; /* and the weak one */
	uint32_t locks;	      /* that protect it */
	uint32_t sealed;      /* when its clock was this, the weak one had all that the
			       * strong one had; UINT32_MAX: it has */
	bool write;
	bool heap;   /* the object is a block of the heap */
	bool handed; /* out: the first owner's, and a lock alone was in between */
	dh_rt_word untold; /* out: see below */
};

/* The next word of an object; DH_RT_FINE (without label) where it has to be refined. Then
 * `untold` is the next word where no diary has anything of the object that would be new to
 * its fields (refine.h); or 0, where it is refined all the same. Not for words in the states
 * FREED, BUSY and FINE. */
dh_rt_word dh_rt_object_step(struct dh_rt_step *s, dh_rt_word w);

/* The next word of a field. *suspect is true where the access and the last one are not
 * ordered but by locks, there is no lock in common, and one of all since wrote; and for
 * the next accesses by other threads to a field that was told, DH_RT_MORE of them. */
dh_rt_word dh_rt_field_step(const struct dh_rt_step *s, dh_rt_word w, bool *suspect);

/* Readers are told apart by their slots, so many of them. */
DH_INLINE uint32_t dh_rt_reader(uint64_t epoch)
{
	return 1u << (dh_record_slot(epoch) % DH_RT_INFO_BITS);
}

/* The last clock that each slot has left a trace with: written in each time frame, so
 * each has a cache line of its own. */
struct dh_rt_latest {
	_Alignas(64) uint32_t clock; /* atomic */
};
extern struct dh_rt_latest dh_rt_latest[DH_SLOTS];

#endif
