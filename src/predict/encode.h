/* SPDX-License-Identifier: MIT */
/*
 * The question whether two accesses can race, as a formula: docs/engines/predict.md has
 * each constraint and why it is sound. Asked only where refute.h has no answer.
 *
 * Only events that could be of use are in the formula: those that the two accesses need,
 * and what might be done to let these happen (a write that serves a read, a release).
 * Of these, only events that some constraint speaks of become unknowns.
 *
 * Not for concurrent use. Allocates.
 */
#ifndef DH_PREDICT_ENCODE_H
#define DH_PREDICT_ENCODE_H

#include "predict/clocks.h"
#include "predict/saturate.h"
#include "predict/solver.h"

struct dh_encoder {
	const struct dh_graph *graph;
	const struct dh_clocks *must;
	struct dh_solver *solver;
	uint32_t a, b;
	const struct dh_saturator *known; /* what every schedule has */
	const uint32_t *need;		  /* its cut */
	uint32_t *limit;		  /* cut that no schedule goes beyond */
	uint32_t *useful;		  /* cut of events that are in the formula */
	uint32_t *unknown;		  /* by event: its unknown + 1; 0: none */
	uint64_t parts;			  /* literals so far */
	uint64_t parts_max;		  /* more are not tried */
	bool impossible;		  /* found while encoding */
	struct dh_vec(dh_formula) clause, option, options;
};

void dh_encoder_init(struct dh_encoder *x, const struct dh_graph *g,
		     const struct dh_clocks *must);
void dh_encoder_free(struct dh_encoder *x);

/* Prepares the question about a and b, which dh_saturate() left open. Returns how many
 * events it is about at most. */
uint32_t dh_encoder_prepare(struct dh_encoder *x, uint32_t a, uint32_t b,
			    const struct dh_saturator *known);

/* Asks it. With DH_YES, cut is a cut (one word for each thread) and place[e] for each
 * event e of it a number such that the events in the order of place, and where equal in
 * that of the trace, are a schedule after which both can come. */
enum dh_answer dh_encoder_ask(struct dh_encoder *x, struct dh_solver *s, uint32_t *cut,
			      int64_t *place);

#endif
