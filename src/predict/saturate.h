/* SPDX-License-Identifier: MIT */
/*
 * Between the refuter and the solver: draws from what every schedule with the race has
 * (the cut that dh_refute() left) all order that follows, until nothing more does.
 *
 *   - A read whose source is settled: a write that does not serve it and comes before it
 *     comes before the source too; one that comes after the source comes after the read.
 *   - A read with a choice of sources comes after what comes before all of them
 *     (choices.h); when one is left, it is settled.
 *   - Two sections that exclude each other: if something of the one comes before
 *     something of the other, all of it does, and its release is part of the schedule.
 *
 * A circle refutes the race. Otherwise the events of the cut are put into an order
 * (lineup.h); if that goes through, it is a schedule (which the checker has to accept
 * like any other). If not, the same is tried once more with guesses about sections that
 * are open at the end. If that fails too, the solver is asked, and is told what was found
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

/* What is not settled yet. */
struct dh_matter {
	enum { DH_MATTER_LOCKS, DH_MATTER_READ, DH_MATTER_CHOICE } kind;
	uint32_t one, other; /* two sections; a read and a write that does not serve it; a
				read that several writes could serve */
};

struct dh_saturator {
	const struct dh_graph *graph;
	const struct dh_clocks *must;
	bool keep; /* every read keeps its source: an answer of yes counts, others do not
		    */
	uint32_t a, b;
	uint32_t *cut, *next; /* and what the cut will be */
	uint32_t *rows; /* by event of the cut, a word for each thread: how many of its
			   events come before */
	uint32_t *into; /* by event: the first edge into it, + 1 */
	struct dh_vec(
	    struct dh_edge) edges; /* must order, and from `first_new` on found */
	uint32_t first_new;
	struct dh_vec(struct dh_matter) matters;
	bool *choice;		 /* by event: a read that several writes could serve */
	uint32_t *meet, *latest; /* for choices.h, a word for each thread */
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

/* Draws no conclusions: the cut as it is given, and the must order. */
void dh_saturate_not(struct dh_saturator *x, uint32_t a, uint32_t b,
		     const uint32_t *need);

/* Is it settled where the read gets its value from? */
bool dh_saturated_source(const struct dh_saturator *x, uint32_t read);

/* Is the event part of the cut? */
DH_INLINE bool dh_saturated_has(const struct dh_saturator *x, uint32_t e)
{
	return x->graph->position[e] < x->cut[x->graph->thread[e]];
}

/* Of an event of the cut: how many events of each thread come before it. */
DH_INLINE uint32_t *dh_saturated_row(const struct dh_saturator *x, uint32_t e)
{
	return x->rows + (size_t)e * x->graph->threads;
}

/* Of two events of the cut: is e before f in every schedule with the race? */
DH_INLINE bool dh_saturated_before(const struct dh_saturator *x, uint32_t e, uint32_t f)
{
	const struct dh_graph *g = x->graph;
	return dh_saturated_row(x, f)[g->thread[e]] > g->position[e];
}

#endif
