/* SPDX-License-Identifier: MIT */
/*
 * Interned threadsets (RaceTrack, section 3.2): sets of labels (slot, clock), one
 * label per slot, each distinct set kept once and named by a number that fits a
 * word. Unlike locksets their number grows with the run, so they are counted by
 * reference and reclaimed.
 *
 * Ownership: a function that returns a threadset returns a reference the caller
 * must give back with dh_threadset_unref(). A set whose count falls to zero stays
 * findable (it may come back) until dh_threadset_reclaim() sweeps it.
 *
 * Concurrency: all functions but new, free and reclaim may run in any number of
 * threads at once: look-ups take no lock, inserts are serialised. reclaim must
 * run at a quiescent point: no other call in progress, and no number kept that
 * is not covered by a reference. It is the moment that the paper takes from the
 * garbage collector.
 */
#ifndef DH_LOCKSET_THREADSET_H
#define DH_LOCKSET_THREADSET_H

#include "base/base.h"

typedef uint32_t dh_threadset;

#define DH_THREADSET_EMPTY ((dh_threadset)0) /* needs no reference */

struct dh_label {
	uint32_t slot;
	uint32_t clock;
};
_Static_assert(sizeof(struct dh_label) == 8, "a label is one word");

struct dh_threadset_table;

struct dh_threadset_stats {
	uint64_t live;      /* sets with a reference */
	uint64_t kept;      /* sets in the table, live or not */
	uint64_t inserted;  /* distinct sets ever inserted */
	uint64_t reclaimed; /* sets swept */
	uint64_t bytes;
};

struct dh_threadset_table *dh_threadset_table_new(void);
void dh_threadset_table_free(struct dh_threadset_table *t);

/* The set of these labels; ascending slots, no slot twice, count >= 0. */
dh_threadset dh_threadset_make(struct dh_threadset_table *t, const struct dh_label *labels,
			       uint32_t count);

dh_threadset dh_threadset_ref(struct dh_threadset_table *t, dh_threadset s);
void dh_threadset_unref(struct dh_threadset_table *t, dh_threadset s);

/* The labels, ascending by slot; valid while a reference is held. */
const struct dh_label *dh_threadset_items(const struct dh_threadset_table *t,
					  dh_threadset s, uint32_t *count);

/* Sweeps sets without references. Returns how many. Quiescent points only. */
uint64_t dh_threadset_reclaim(struct dh_threadset_table *t);

/* Unreferenced sets waiting to be swept: when this is large, reclaim pays. */
uint64_t dh_threadset_garbage(const struct dh_threadset_table *t);

void dh_threadset_get_stats(const struct dh_threadset_table *t,
			    struct dh_threadset_stats *s);

#endif
