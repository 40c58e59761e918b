/* SPDX-License-Identifier: MIT */
/*
 * Interned sets of locks (RaceTrack, section 3.2; Eraser). Every distinct set
 * that ever occurs is kept once and named by a number, so that a set fits a word
 * of a variable's state and two sets are equal iff their numbers are. Adding,
 * removing and intersecting are memoised.
 *
 * Concurrency: look-ups (all functions below but init and free) may be called by
 * any number of threads at once. A look-up that finds its answer takes no lock;
 * a set or an answer seen for the first time is inserted under one mutex. Names
 * stay valid as long as the table: sets are never removed, because their number
 * is bounded by the program's locking structure, not by its run time.
 * Allocates on insertion.
 */
#ifndef DH_LOCKSET_LOCKSET_H
#define DH_LOCKSET_LOCKSET_H

#include "base/base.h"

typedef uint32_t dh_lockset;

#define DH_LOCKSET_EMPTY ((dh_lockset)0)
/* The set of all possible locks: the neutral element of intersection. It is not
 * stored; only dh_lockset_intersect() and dh_lockset_has() accept it. */
#define DH_LOCKSET_ALL ((dh_lockset)UINT32_MAX)

/* Lock ids are any uint32_t but this one, which MultiRace's LockSet uses for its
 * imaginary readers_lock. It may be added like any other. */
#define DH_READERS_LOCK ((uint32_t)UINT32_MAX)

struct dh_lockset_table;

struct dh_lockset_stats {
	uint64_t sets;          /* distinct sets, the empty one included */
	uint64_t bytes;         /* memory held */
	uint64_t intersections; /* distinct pairs whose intersection is remembered */
};

struct dh_lockset_table *dh_lockset_table_new(void);
void dh_lockset_table_free(struct dh_lockset_table *t);

/* set with lock added / taken away; the same set where nothing changes. */
dh_lockset dh_lockset_add(struct dh_lockset_table *t, dh_lockset set, uint32_t lock);
dh_lockset dh_lockset_remove(struct dh_lockset_table *t, dh_lockset set, uint32_t lock);

/* The locks in both. */
dh_lockset dh_lockset_intersect(struct dh_lockset_table *t, dh_lockset a, dh_lockset b);

bool dh_lockset_has(const struct dh_lockset_table *t, dh_lockset set, uint32_t lock);

/* The members, ascending; *count gets their number. Valid as long as the table.
 * Not for DH_LOCKSET_ALL. */
const uint32_t *dh_lockset_items(const struct dh_lockset_table *t, dh_lockset set,
				 uint32_t *count);

void dh_lockset_get_stats(const struct dh_lockset_table *t, struct dh_lockset_stats *s);

#endif
