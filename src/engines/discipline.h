/* SPDX-License-Identifier: MIT */
/*
 * MultiRace's LockSet on one variable: the candidate set C(v) of Figure 4 under the
 * state diagram of Figure 6. Used by `lockset` and `multirace`. Zero-initialised is
 * Virgin.
 *
 *   Virgin        not referenced yet
 *   Initializing  referenced by one thread only; C(v) is not refined
 *   Shared        by several threads; C(v) is refined
 *   Empty         C(v) became empty: warned, once
 *   Clean         a barrier was passed; C(v) is all locks again
 *   Exclusive     by one thread since the barrier; C(v) is refined
 *
 * Deviation: in the figure only a write leaves Virgin. A location that is read first
 * would forget its reader, and its race with a later writer; so any first reference
 * leaves Virgin here.
 *
 * Barriers are applied when the variable is next accessed: each variable remembers
 * how many episodes it has seen.
 */
#ifndef DH_ENGINES_DISCIPLINE_H
#define DH_ENGINES_DISCIPLINE_H

#include "event/engine.h"

enum dh_discipline_state {
	DH_VIRGIN,
	DH_INITIALIZING,
	DH_SHARED,
	DH_EMPTY,
	DH_CLEAN,
	DH_EXCLUSIVE,
	DH_DISCIPLINE_STATES
};

struct dh_discipline {
	uint8_t state;
	bool warned;
	bool refined_write;    /* the last refinement was by a write */
	uint32_t owner;        /* Initializing, Exclusive: the thread */
	uint32_t refined_by;   /* who refined C(v) last, and in which time frame; */
	uint32_t refined_when; /* 0: nobody since the last re-initialisation */
	dh_lockset candidates; /* C(v); meaningful in Shared and Exclusive */
	uint64_t episodes;     /* barrier episodes that it has seen */
};

struct dh_discipline_clock {
	uint64_t episodes; /* barrier episodes closed so far */
	uint32_t frame;    /* the access's time frame, >= 1; changes at each unlock. 0 is
			      one that is not known: the access is no repeat */
};

/* Applies the barriers that were passed since the variable was last accessed, so that
 * its state is the present one of Figure 6. For who looks at the state; an access
 * does this by itself. */
void dh_discipline_settle(struct dh_discipline *d, const struct dh_discipline_clock *now);

/* Judges an access. True when it is the one to warn about. */
bool dh_discipline_access(struct dh_discipline *d, struct dh_lockset_table *table,
			  const struct dh_thread *t, const struct dh_access *a,
			  const struct dh_discipline_clock *now);

/* The locks that protect an access, with readers_lock for a read. */
dh_lockset dh_discipline_locks(struct dh_lockset_table *table, const struct dh_access *a);

#endif
