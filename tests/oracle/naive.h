/* SPDX-License-Identifier: MIT */
/*
 * Naive oracles: the definitions of the trace format and of the papers, worked out
 * by brute force over a whole trace. They share nothing with the engines; slow and
 * plain on purpose.
 *
 *   relations   both happens-before relations as bit matrices, closed transitively
 *   pairs       every conflicting pair that a relation leaves unordered
 *   machines    (naive_machines.c) Eraser, MultiRace's LockSet, RaceTrack's basic
 *               and adaptive algorithms, Goldilocks to the letter
 *
 * An incarnation of a variable lasts from one alloc to the next; accesses of
 * different incarnations have nothing to do with each other.
 */
#ifndef DH_TESTS_NAIVE_H
#define DH_TESTS_NAIVE_H

#include "event/race.h"
#include "world.h"

enum naive_relation { NAIVE_STRONG, NAIVE_WEAK, NAIVE_RELATIONS };

/* A set of locks, bit by lock; this one stands for MultiRace's readers_lock. */
typedef uint32_t lockbits;
#define READERS_BIT ((lockbits)1 << 31)
#define ALL_BITS    ((lockbits)UINT32_MAX)

struct naive {
	const struct trace *trace;
	/* before[r][j] has bit i: event i is ordered before event j */
	uint64_t before[NAIVE_RELATIONS][WORLD_EVENTS][WORLD_EVENTS / 64];
	uint32_t episode[WORLD_EVENTS];	    /* barrier events: which use of it; from 1 */
	bool closes[WORLD_EVENTS];	    /* the first leave of its episode */
	uint32_t incarnation[WORLD_EVENTS]; /* accesses: allocs of the variable so far */
	uint32_t frame[WORLD_EVENTS];	    /* releasing steps of its thread so far */
	lockbits locks[WORLD_EVENTS];	    /* accesses: the locks that protect it */
};

/* A report that a definition asks for. */
struct verdict {
	uint32_t var;
	uint32_t second;
	bool must_observe; /* a graded engine has to call it observed */
};

struct verdicts {
	uint32_t count;
	struct verdict at[WORLD_EVENTS];
};

void naive_build(struct naive *n, const struct trace *t);

static inline bool naive_is_access(const struct naive *n, uint32_t i)
{
	return dh_op_is_access(n->trace->at[i].op);
}

/* Is event i ordered before event j? */
bool naive_before(const struct naive *n, enum naive_relation r, uint32_t i, uint32_t j);

/* Are i < j accesses to one incarnation of a variable, by different threads? */
bool naive_meet(const struct naive *n, uint32_t i, uint32_t j);

/* Do they meet, and at least one writes? */
bool naive_conflict(const struct naive *n, uint32_t i, uint32_t j);

/* A conflict that the relation leaves unordered. */
bool naive_race(const struct naive *n, enum naive_relation r, uint32_t i, uint32_t j);

/* The earliest second of a strong race, for every incarnation that has one. */
void naive_earliest(const struct naive *n, struct verdicts *v);

/* The machines: what each has to report. */
void naive_goldilocks_paper(const struct naive *n, struct verdicts *v);
void naive_eraser(const struct naive *n, struct verdicts *v);
void naive_lockset(const struct naive *n, struct verdicts *v);
void naive_racetrack(const struct naive *n, struct verdicts *v);

/* Figure 2. Where lockset is not NULL it gets, by event, the variable's lockset C
 * after that access. */
void naive_racetrack_basic(const struct naive *n, struct verdicts *v, lockbits *lockset);

#endif
