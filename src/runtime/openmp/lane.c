/* SPDX-License-Identifier: MIT */
/* See lane.h. How many clocks a lane gets is guessed from how many the last ones needed:
 * what is left of them is lost to the slot. */
#include "runtime/openmp/lane.h"
#include "runtime/openmp/strand.h"
#include "runtime/thread.h"

enum {
	RESTING = 8,
	FIT = 4, /* tasks that have been, before others are put into lanes */
	FEWEST = 64,
	FIRST = 1 << 12,
	MOST = 1 << 20,
};

static __thread struct dh_strand *resting[RESTING]
    __attribute__((tls_model("initial-exec")));
static __thread uint32_t wanted __attribute__((tls_model("initial-exec")));

bool dh_lane_allowed(uint32_t who)
{
	const struct dh_thread_info *info = dh_thread_by_id(who);
	return __atomic_load_n(&info->fit, __ATOMIC_RELAXED) == FIT;
}

/* Threads that count at the same time may lose a task. */
void dh_lane_judge(uint32_t who, bool fit)
{
	struct dh_thread_info *info = dh_thread_by_id(who);
	uint32_t n = __atomic_load_n(&info->fit, __ATOMIC_RELAXED);
	if (!fit)
		__atomic_store_n(&info->fit, FIT + 1, __ATOMIC_RELAXED);
	else if (n < FIT)
		__atomic_compare_exchange_n(&info->fit, &n, n + 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static struct dh_strand **place_of(const struct dh_lane_key *k)
{
	return &resting[(k->parent * 5 + k->group * 3 + k->who) % RESTING];
}

static bool same(const struct dh_lane_key *a, const struct dh_lane_key *b)
{
	return a->parent == b->parent && a->group == b->group && a->round == b->round &&
	       a->who == b->who;
}

uint32_t dh_lane_open(struct dh_strand *s, const struct dh_lane_key *key, uint32_t last)
{
	uint32_t room = wanted ? wanted : FIRST;
	uint32_t start = (last + room) / room * room, end = start + room;
	if (end + 2 >= DH_RECORD_CLOCK_MAX)
		return last;
	s->lane = (struct dh_lane){.key = *key, .floor = last, .room = room, .low = end};
	__atomic_store_n(&s->flow.info->ahead, end - 1, __ATOMIC_RELAXED);
	return end - 1;
}

uint64_t dh_lane_alike(const struct dh_strand *s)
{
	return s ? (uint64_t)(s->lane.room - 1) << DH_CLOCK_SHIFT : 0;
}

static struct dh_strand *finish(struct dh_strand *s)
{
	uint32_t room = s->lane.room, used = s->last - s->lane.low + 1;
	if (used == room)
		wanted = MOST;
	else if (used < room / 8)
		wanted = DH_MAX(room / 4, (uint32_t)FEWEST);
	s->lane.low = 0;
	return s;
}

/* The task must know what was in the slot before the lane, and nothing of the lane; or
 * all of it: then it is the first one of the next lane. */
struct dh_strand *dh_lane_take(const struct dh_lane_key *key,
			       const struct dh_start *start)
{
	struct dh_strand **place = place_of(key), *s = *place;
	if (!s || !same(&s->lane.key, key))
		return NULL;
	uint32_t knows = dh_start_knows(start, s->flow.info->slot);
	if (knows >= s->last)
		s->last = dh_lane_open(finish(s), key, s->last);
	else if (knows < s->lane.floor || knows >= s->lane.low)
		return NULL;
	*place = NULL;
	return s;
}

struct dh_strand *dh_lane_put(struct dh_strand *s)
{
	if (s->lane.over || s->lane.low % s->lane.room == 0)
		return finish(s);
	struct dh_strand **place = place_of(&s->lane.key), *old = *place;
	*place = s;
	return old ? finish(old) : NULL;
}

struct dh_strand *dh_lane_give_up(void)
{
	for (int i = 0; i < RESTING; i++) {
		struct dh_strand *s = resting[i];
		resting[i] = NULL;
		if (s)
			return finish(s);
	}
	return NULL;
}

void dh_lanes_after_fork(void)
{
	for (int i = 0; i < RESTING; i++)
		resting[i] = NULL;
}
