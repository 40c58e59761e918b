/* SPDX-License-Identifier: MIT */
/*
 * Judges one window: every pair of code locations in it that the model allows to race is
 * found once, with two accesses and, for the models with schedules, a witness that the
 * checker has accepted. Windows are judged independently of each other, so several may
 * be at once, each in a thread of its own. Allocates.
 */
#ifndef DH_PREDICT_JUDGE_H
#define DH_PREDICT_JUDGE_H

#include "predict/candidates.h"
#include "predict/window.h"

enum dh_model { DH_MODEL_HB, DH_MODEL_CP, DH_MODEL_MC, DH_MODEL_RDIT };

/* Of work in windows; added up over all of them. What was done depends on what was known
 * when a window's turn came, and so on the number of jobs. */
struct dh_judge_counters {
	uint64_t pairings;   /* groups of accesses that conflict */
	uint64_t protected_; /* and have a common lock */
	uint64_t refuted;    /* pairs of accesses refuted without the solver */
	uint64_t confirmed;  /* pairs confirmed without it */
	uint64_t saturated;  /* pairs settled by conclusions, one way or the other */
	uint64_t questions;  /* to the solver */
	uint64_t given_up;   /* of these, without an answer */
	uint64_t rejected;   /* schedules that the checker did not accept */
};

struct dh_finding {
	dh_location low, high;
	bool unknown;		/* the solver ran out of its time; no witness */
	uint32_t first, second; /* events of the window, in the order of the trace */
	struct dh_vec(uint32_t) witness; /* events of the window; empty for hb and cp */
};

struct dh_verdict {
	struct dh_vec(struct dh_finding) findings; /* by locations */
	struct dh_judge_counters counters;
};

struct dh_judge_config {
	enum dh_model model;
	uint32_t patience; /* milliseconds of the solver for a pair of accesses */
	bool by_solver; /* it gets what is neither refuted nor confirmed at once, without
			   conclusions; to test it */
	/* Has the pair been found in an earlier window? Then it is not looked at. May be
	 * NULL; called from the thread that judges. */
	bool (*known)(void *context, dh_location low, dh_location high, uint64_t window);
	/* Has the solver given up on the pair in windows before this one so often that it
	 * is not worth asking again? May be NULL. */
	bool (*weary)(void *context, dh_location low, dh_location high, uint64_t window);
	void *context;
};

void dh_judge(const struct dh_judge_config *config, const struct dh_window *w,
	      struct dh_verdict *to);
void dh_verdict_free(struct dh_verdict *v);

#endif
