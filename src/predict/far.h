/* SPDX-License-Identifier: MIT */
/*
 * Counts what windows cannot see: pairs of code locations with conflicting accesses that
 * lie too far apart for one window each time, and that neither order nor a common lock
 * keeps from racing. They are not judged, but they are not lost in silence.
 *
 * An engine of event/engine.h over the whole trace. For each variable it keeps the last
 * access of each kind (thread, location, locks held); that is bounded by the code, not by
 * the length of the trace, and above FAR_MAX of them in all no new ones are kept, so that
 * the count is a lower bound. Not for concurrent use. Allocates.
 */
#ifndef DH_PREDICT_FAR_H
#define DH_PREDICT_FAR_H

#include "predict/judge.h"
#include "predict/table.h"

struct dh_far;

/* size and step are those of the windows. */
struct dh_far *dh_far_new(uint32_t size, uint32_t step, enum dh_model model);
void dh_far_feed(struct dh_far *f, const struct dh_event *ev);

/* How many pairs were never in one window, and are not among those found. */
uint64_t dh_far_count(const struct dh_far *f, const struct dh_table *found);
void dh_far_free(struct dh_far *f);

#endif
