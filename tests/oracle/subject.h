/* SPDX-License-Identifier: MIT */
/*
 * The subjects of the oracle test: an engine, perhaps with a filter in front, and
 * what its reports on a trace are held against. A new engine gets a line in the
 * table of subject.c.
 */
#ifndef DH_TESTS_SUBJECT_H
#define DH_TESTS_SUBJECT_H

#include "event/race.h"
#include "naive.h"

enum { OUTCOME_RACES = 16384 };

/* What came of feeding a trace. */
struct outcome {
	uint32_t count;
	struct dh_race at[OUTCOME_RACES];
	bool lost;		   /* more races than there is room for */
	bool passed[WORLD_EVENTS]; /* engine `print`: events that got past the filter */
};

/* A subject under examination. */
struct exam {
	const struct naive *naive;
	const struct outcome *got;
	const struct outcome *plain; /* with a filter: the engine's outcome without it */
	uint64_t checks;	     /* comparisons made so far */
	bool failed;
	char why[256]; /* the first difference */
};

struct subject {
	const char *engine;
	const char *filter; /* or NULL */
	void (*compare)(struct exam *x, const struct subject *s);
	/* What has to be reported, where compare asks for it. */
	void (*expect)(const struct naive *n, struct verdicts *v);
	bool graded; /* may report both grades */
};

/* Ends with one whose engine is NULL. Unfiltered subjects come first. */
extern const struct subject subjects[];

#endif
