/* SPDX-License-Identifier: MIT */
/*
 * Between the refuter and the solver: draws from what every schedule with the race has
 * (the cut that dh_refute() left) all order that follows, until nothing more does.
 *
 *   - A read whose source is settled: a write that does not serve it and comes before it
 *     comes before the source too; one that comes after the source comes after the read.
 *   - Two sections that exclude each other: if something of the one comes before
 *     something of the other, all of it does, and its release is part of the schedule.
 *
 * A circle refutes the race. Otherwise the events of the cut are put into an order by
 * taking, again and again, the one that is earliest in the trace among those that may
 * come next; if that goes through, it is a schedule (which the checker has to accept like
 * any other). If not, the same is tried once more with guesses about sections that are
 * open at the end. If that fails too, the solver is asked, and is told what was found
 * without guesses.
 *
 * One for a window and a thread of ours. Allocates.
 */
#ifndef DH_PREDICT_SATURATE_H
#define DH_PREDICT_SATURATE_H

#include "predict/clocks.h"

struct dh_edge {
	uint32_t from, to;
	uint32_t next; /* the next edge into `to`, + 1 */
};

/* What is not settled yet: two sections, or a read and a write that does not serve it. */
struct dh_matter {
	bool locks;
	uint32_t one, other;
};

struct dh_saturator {
	const struct dh_graph *graph;
	const struct dh_clocks *must;
	bool keep; /* every read keeps its source: an answer of yes counts, others do not
		    */
	uint32_t a, b;
	uint32_t *cut;
	uint32_t *rows; /* by event of the cut, a word for each thread: how many of its
			   events come before */
	uint32_t *into; /* by event: the first edge into it, + 1 */
	struct dh_vec(
	    struct dh_edge) edges; /* must order, and from `first_new` on found */
	uint32_t first_new;
	struct dh_vec(struct dh_matter) matters;
	struct dh_vec(uint32_t) order; /* the schedule, without a and b */
	uint64_t steps;		       /* a measure of work, over all questions */
};

enum dh_saturation {
	DH_SATURATED_NO,   /* refuted */
	DH_SATURATED_YES,  /* x->order, then a and b */
	DH_SATURATED_OPEN, /* x->cut and the new edges are in every schedule */
};

/* keep: must has all sources. */
void dh_saturator_init(struct dh_saturator *x, const struct dh_graph *g,
		       const struct dh_clocks *must, bool keep);
void dh_saturator_free(struct dh_saturator *x);

/* need: the cut of a dh_refute() that did not refute. */
enum dh_saturation dh_saturate(struct dh_saturator *x, uint32_t a, uint32_t b,
			       const uint32_t *need);

/* Of two events of the cut: is e before f in every schedule with the race? */
DH_INLINE bool dh_saturated_before(const struct dh_saturator *x, uint32_t e, uint32_t f)
{
	const struct dh_graph *g = x->graph;
	return x->rows[(size_t)f * g->threads + g->thread[e]] > g->position[e];
}

#endif
