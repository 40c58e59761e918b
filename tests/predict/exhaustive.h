/* SPDX-License-Identifier: MIT */
/*
 * Prediction by brute force: goes through every correct reordering of a small trace, one
 * step at a time, and notes each pair of accesses that can be next together. Knows the
 * definition of a correct reordering and nothing of src/predict. Also happens-before and
 * causally-precedes by their definitions, as matrices.
 */
#ifndef DH_TESTS_EXHAUSTIVE_H
#define DH_TESTS_EXHAUSTIVE_H

#include "world.h"

enum { SMALL_EVENTS = 28, SMALL_THREADS = 4, SMALL_VARS = 3 };

/* Pairs of events, the earlier one first. */
struct pairs {
	bool at[SMALL_EVENTS][SMALL_EVENTS];
};

/* What is fixed about a trace. */
struct facts {
	const struct trace *t;
	bool methods;		  /* the rules of rdit */
	int life[SMALL_EVENTS];	  /* accesses: of the variable; barriers: episode */
	int source[SMALL_EVENTS]; /* accesses: the write before, or -1 */
	uint32_t order[SMALL_THREADS][SMALL_EVENTS]; /* events of each thread */
	int length[SMALL_THREADS];
	int position[SMALL_EVENTS];
	uint32_t before[SMALL_EVENTS]; /* must-predecessors in other threads, as a set */
};

void facts_find(struct facts *f, const struct trace *t, bool methods);

/* All pairs that can race. */
void exhaustive_search(const struct facts *f, struct pairs *out);

/* Is the schedule correct, with a race of the last two? */
bool exhaustive_legal(const struct facts *f, const uint32_t *events, size_t count);

/* Conflicting pairs that the relation leaves unordered. */
void naive_hb(const struct facts *f, struct pairs *out);
void naive_cp(const struct facts *f, struct pairs *out);

#endif
