/* SPDX-License-Identifier: MIT */
/*
 * Does the program have stand-alone fences? What a relaxed operation reads matters only
 * to an acquire fence behind it (edges.h). Few programs have any; in the others a relaxed
 * load or read-modify-write, such as a reference count that goes up, has nothing to
 * learn, and takes no lock.
 */
#ifndef DH_RUNTIME_FENCES_H
#define DH_RUNTIME_FENCES_H

#include "base/base.h"

enum dh_fences {
	DH_FENCES_UNKNOWN, /* there may be some */
	DH_FENCES_NONE,
	DH_FENCES_LATE, /* there were none until a module was loaded that has some, or
			 * those for the compiler came to count */
	DH_FENCES_SOME,
};

extern enum dh_fences dh_fences; /* atomic */

DH_INLINE bool dh_fences_are(enum dh_fences f)
{
	return __atomic_load_n(&dh_fences, __ATOMIC_RELAXED) == f;
}

/* The modules that are loaded now have some, or none (callers.c). */
void dh_fences_note(bool some);

/*
 * A thread that calls membarrier() makes a full fence of its own and one of each other
 * thread, which in return do with fences for the compiler (atomic_signal_fence()). So in a
 * program that does that, these count, and so does the call. Two threads that have but
 * fences for the compiler between them are then taken to be in order; nothing tells them
 * from the others.
 */
extern bool dh_fences_light; /* atomic: fences for the compiler count */

/* They do from now on. alone: the calling thread is the only one so far. */
void dh_fences_enlist(bool alone);

#endif
