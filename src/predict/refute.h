/* SPDX-License-Identifier: MIT */
/*
 * What can be said about a pair of accesses without the solver.
 *
 * Refuting: the cut that every schedule with this race must have done before it, by must
 * order, forced reads, and locks that somebody holds to the end. If it has one of the two
 * accesses in it, the race cannot be.
 *
 * Confirming: the smallest cut that has done what the two accesses need if all is kept as
 * it was in the trace: every read has its source, and of two sections of a lock the
 * earlier one is closed. If neither access is in it, its events in the order of the trace
 * are a witness. Most races that exist are of this kind.
 *
 * One refuter for a window and a thread of ours; not for concurrent use. Allocates at the
 * making only.
 */
#ifndef DH_PREDICT_REFUTE_H
#define DH_PREDICT_REFUTE_H

#include "predict/clocks.h"

struct dh_refuter {
	const struct dh_graph *graph;
	const struct dh_clocks *must; /* with forced reads */
	const struct dh_clocks *kept; /* with all sources; may be the same */
	uint32_t *cut;		      /* the result of the last question */
	uint32_t *seen; /* by thread: sections of it that have been looked at */
	uint64_t steps; /* a measure of work, over all questions */
};

void dh_refuter_init(struct dh_refuter *r, const struct dh_graph *g,
		     const struct dh_clocks *must, const struct dh_clocks *kept);
void dh_refuter_free(struct dh_refuter *r);

/* True: no schedule has a and b next to each other. Else r->cut is what each one has
 * done before. */
bool dh_refute(struct dh_refuter *r, uint32_t a, uint32_t b);

/* True: r->cut in the order of the trace, then a and b, is a witness. */
bool dh_confirm(struct dh_refuter *r, uint32_t a, uint32_t b);

#endif
