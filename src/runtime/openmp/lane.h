/* SPDX-License-Identifier: MIT */
/*
 * Lanes: one slot for very many tasks that nothing orders, and all of them told apart.
 *
 * Tasks that one thread runs one after the other, of one parent, group and round, and
 * made at one place, get clocks of their slot that go down: the second one less than the
 * first, and so on. A clock stands for all that are not later, so to none of these tasks
 * are those before it known, and a race between any two is seen. And who knows the first
 * of them knows them all. That is as it should be as long as nobody learns of one alone:
 * what waits for one of them (taskwait, the end of the group, a barrier) waits for all,
 * also for those that have yet to begin.
 *
 * A read that one of them has a record of needs none of another: who comes after the one
 * comes after the other. So tasks that all read the same data do so as cheaply as one
 * that reads it again and again (dh_self.alike).
 *
 * A task that publishes what it did before it ends (it makes a task, gives a lock back)
 * or that has learned something leaves the lane for a slot of its own: when its time
 * frame would end, for the next clock is another task's. No more tasks come after it. It
 * may have taken the place of reads of others, where it has read more bytes of a granule,
 * which is counted as a slot that is shared. Tasks made at that place are then not put
 * into lanes any more; nor are they before some of them have ended as they should, nor
 * those with dependences or an event.
 *
 * Context: the lanes that rest are the calling thread's own. It is `inside`.
 */
#ifndef DH_RUNTIME_OPENMP_LANE_H
#define DH_RUNTIME_OPENMP_LANE_H

#include "base/base.h"

struct dh_strand;
struct dh_start;

/* What tasks in a lane have in common; parent and group by numbers that are not used
 * again. who: their name. */
struct dh_lane_key {
	uint32_t parent, group, round, who;
};

/* A strand's lane. */
struct dh_lane {
	struct dh_lane_key key;
	uint32_t floor; /* the last clock that was used before it */
	uint32_t room; /* how many it has: a power of 2, and from a multiple of that on */
	uint32_t low;  /* the one that was used last; 0: there is no lane */
	bool told;     /* to who waits: the first one's end, which stands for all */
	bool over;     /* none comes after the task that is in it */
};

/* Have enough tasks of this name been fit for a lane, and none unfit? */
bool dh_lane_allowed(uint32_t who);

/* One of this name has ended, and was or was not. */
void dh_lane_judge(uint32_t who, bool fit);

/* A strand at rest whose lane the task that begins with this can go on in, or NULL. */
struct dh_strand *dh_lane_take(const struct dh_lane_key *key,
			       const struct dh_start *start);

/* The strand, whose last clock was this, gets a lane. Returns the last clock of it. Where
 * there is no room for one, nothing changes. */
uint32_t dh_lane_open(struct dh_strand *s, const struct dh_lane_key *key, uint32_t last);

/* In what bits the epochs of the tasks in its lane differ. 0 for NULL. */
uint64_t dh_lane_alike(const struct dh_strand *s);

/* The strand's task has ended: keeps it for the next one. Returns one that has to make
 * room for it, whose lane is over, or NULL. */
struct dh_strand *dh_lane_put(struct dh_strand *s);

/* All that are kept, one after the other, likewise. */
struct dh_strand *dh_lane_give_up(void);

/* In the child of a fork: what is kept is forgotten. */
void dh_lanes_after_fork(void);

#endif
