/* SPDX-License-Identifier: MIT */
/*
 * Witnesses: a schedule of events of a window after which two accesses are both next.
 * Made from what refute.h or encode.h found. Not for concurrent use. Allocates.
 */
#ifndef DH_PREDICT_WITNESS_H
#define DH_PREDICT_WITNESS_H

#include "predict/clocks.h"

/* Events of the window in their new order; the two accesses are the last. */
struct dh_witness {
	struct dh_vec(uint32_t) events;
};

/* The events of the cut in the order of the trace, then a and b. */
void dh_witness_kept(struct dh_witness *to, const struct dh_graph *g, const uint32_t *cut,
		     uint32_t a, uint32_t b);

/* The events of the cut in the order of their places (where equal, of the trace), without
 * those that nothing needs; then a and b. */
void dh_witness_placed(struct dh_witness *to, const struct dh_graph *g,
		       const struct dh_clocks *must, const uint32_t *cut,
		       const int64_t *place, uint32_t a, uint32_t b);

#endif
