/* SPDX-License-Identifier: MIT */
/*
 * Prediction over a whole trace: takes the events one by one, cuts them into windows,
 * has these judged by any number of threads, and puts the findings together. The result
 * is the same whatever that number is: a window is judged by itself, and of several
 * windows that find a pair of code locations the first one counts.
 *
 *   struct dh_predict *p = dh_predict_new(&config);
 *   while (there is an event)
 *           dh_predict_feed(p, &ev);
 *   dh_predict_finish(p);
 *   use(dh_predict_result(p));
 *   dh_predict_free(p);
 *
 * Called from one thread. Allocates; memory is that of a few windows per job, of the
 * findings, and of a few words for each variable and each way in which it is accessed.
 */
#ifndef DH_PREDICT_PREDICT_H
#define DH_PREDICT_PREDICT_H

#include "predict/judge.h"

enum {
	DH_PREDICT_WINDOW = 10000,
	DH_PREDICT_PATIENCE = 2000, /* milliseconds */
	DH_PREDICT_TRIES = 3,  /* windows in which the solver gives up on a pair before it
				  is  not asked about it any more, */
	DH_PREDICT_LAG = 8,    /* counted in windows at least so far back */
	DH_PREDICT_SHOWN = 64, /* events of a witness that are kept to be shown */
};

struct dh_predict_config {
	enum dh_model model;
	uint32_t window;   /* events; >= 2 */
	uint32_t step;	   /* from the start of one to the next; 1 .. window */
	uint32_t patience; /* milliseconds of the solver for a pair of accesses */
	uint32_t jobs;	   /* threads; >= 1 */
	bool by_solver;	   /* see judge.h */
};

/* An event that can be shown: a copy, with its index in the trace. */
struct dh_shown {
	uint64_t index;
	struct dh_step step;
};

/* Two accesses that may race, or of which it is not known. */
struct dh_predicted {
	dh_location low, high;
	uint64_t window;
	bool unknown;
	uint64_t tries[DH_PREDICT_TRIES]; /* windows that gave up, + 1, the first ones,
					     ascending; 0: none */
	struct dh_shown first, second;	  /* in the order of the trace */
	/* The witness: all events below start, then these, counted from there. */
	uint64_t start;
	struct dh_vec(uint32_t) witness;
	uint64_t agrees; /* so many events of the witness are as in the trace */
	struct dh_vec(struct dh_shown) tail; /* its last events, the race included */
};

struct dh_prediction {
	struct dh_vec(struct dh_predicted) races;   /* by second, then first access */
	struct dh_vec(struct dh_predicted) unknown; /* the same */
	uint64_t events, windows;
	uint64_t far_pairs; /* pairs of locations that were never in one window, though
			       nothing simple keeps them apart */
	struct dh_judge_counters counters;
};

struct dh_predict;

struct dh_predict *dh_predict_new(const struct dh_predict_config *config);
void dh_predict_feed(struct dh_predict *p, const struct dh_event *ev);

/* No more events; waits for all windows. */
void dh_predict_finish(struct dh_predict *p);

/* Of a finished one. Belongs to it. */
const struct dh_prediction *dh_predict_result(const struct dh_predict *p);
void dh_predict_free(struct dh_predict *p);

/* "hb", "cp", "mc", "rdit". */
const char *dh_model_text(enum dh_model m);

#endif
