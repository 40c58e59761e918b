/* SPDX-License-Identifier: MIT */
/*
 * From what a program has handed over to all that its threads recorded: runs of records
 * that could be foreseen (trace/foresight.h) are written out.
 *
 * One thread. Memory goes with the number of threads that have not ended.
 */
#ifndef DH_RECORD_EXPAND_H
#define DH_RECORD_EXPAND_H

#include "base/map.h"
#include "trace/foresight.h"

struct dh_expand {
	struct dh_map threads;	   /* thread -> struct dh_foresight * */
	uint32_t thread;	   /* the last one, */
	struct dh_foresight *last; /* and what is foreseen of it; NULL: none */
};

void dh_expand_free(struct dh_expand *e);

/* The next record of a thread, with its payload behind it; no run. It is what it is: only
 * the state changes. */
void dh_expand_learn(struct dh_expand *e, uint32_t thread, const struct dh_raw *r);

/* The next record of a run. */
struct dh_raw dh_expand_take(struct dh_expand *e, uint32_t thread);

#endif
