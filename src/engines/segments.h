/* SPDX-License-Identifier: MIT */
/*
 * Sets of thread segments, as the patent writes them: pairs <thread, clock>, where a
 * thread is named by its id and its clock starts at 0.
 *
 * Of each thread only the newest segment is kept. A set is asked one thing, whether
 * it has a segment of some thread with an equal or later clock, and of two segments
 * of a thread the older one never gives another answer than the newer one does; nor
 * does a union, which keeps both.
 *
 * Used by engine `patent`. Zero-initialised is empty. Not for concurrent use.
 * Allocates.
 */
#ifndef DH_ENGINES_SEGMENTS_H
#define DH_ENGINES_SEGMENTS_H

#include "base/vec.h"

struct dh_segment {
	uint32_t thread;
	uint32_t clock;
};
_Static_assert(sizeof(struct dh_segment) == 8, "a segment is one word");

struct dh_segments {
	struct dh_vec(struct dh_segment) at; /* ascending threads, none twice */
};

/* Is there a segment of this thread with this clock or a later one? */
bool dh_segments_reach(const struct dh_segments *s, uint32_t thread, uint32_t clock);

/* Adds a segment. */
void dh_segments_add(struct dh_segments *s, uint32_t thread, uint32_t clock);

/* Adds all segments of `other` but those of the thread `except`. The two sets must not
 * be the same object. */
void dh_segments_add_all(struct dh_segments *s, const struct dh_segments *other,
			 uint32_t except);

#define DH_SEGMENTS_NO_ONE UINT32_MAX /* a thread id that there is not */

void dh_segments_free(struct dh_segments *s);

#endif
