/* SPDX-License-Identifier: MIT */
/*
 * Eraser (Savage et al.), as Goldilocks and RaceTrack use it for comparison: the
 * locking discipline that some lock is held at every access, with the four states
 *
 *   Virgin           not accessed
 *   Exclusive        by one thread only: initialisation needs no lock
 *   Shared           read by others: C(v) is refined, nothing is reported
 *   Shared-Modified  written while shared: an empty C(v) is reported, once
 *
 * Reader-writer locks: a read is protected by every lock held, a write only by those
 * held in write mode. Barriers, fork and join mean nothing to it.
 */
#include "engines/trail.h"

enum state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED, STATES };

struct cell {
	uint8_t state;
	bool reported;
	uint32_t owner;        /* Exclusive: the thread */
	dh_lockset candidates; /* Shared, Shared-Modified: C(v) */
	struct dh_trail trail;
};

struct eraser {
	struct dh_engine engine;
	uint64_t in_state[STATES]; /* accesses, by the state they found */
};

static void judge(struct cell *c, struct dh_lockset_table *table, const struct dh_thread *t,
		  const struct dh_access *a)
{
	switch ((enum state)c->state) {
	case VIRGIN:
		c->state = EXCLUSIVE;
		c->owner = t->party.id;
		return;
	case EXCLUSIVE:
		if (c->owner == t->party.id)
			return;
		c->state = a->write ? SHARED_MODIFIED : SHARED;
		c->candidates = a->locks;
		return;
	case SHARED:
	case SHARED_MODIFIED:
		if (a->write)
			c->state = SHARED_MODIFIED;
		c->candidates = dh_lockset_intersect(table, c->candidates, a->locks);
		return;
	case STATES:
		return;
	}
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct cell *c = cell;
	((struct eraser *)e)->in_state[c->state]++;
	judge(c, dh_engine_locksets(e), t, a);
	if (DH_UNLIKELY(c->state == SHARED_MODIFIED && c->candidates == DH_LOCKSET_EMPTY &&
			!c->reported)) {
		c->reported = true;
		struct dh_race race = dh_trail_race(&c->trail, t, a, false);
		dh_engine_report(e, &race);
	}
	dh_trail_note(&c->trail, t, a);
}

static void reset(struct dh_engine *e, void *cell)
{
	(void)e;
	dh_zero(cell, sizeof(struct cell));
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	(void)e;
	dh_copy(to, from, sizeof(struct cell));
}

#define STATE(name, state) {name, offsetof(struct eraser, in_state[state])}
static const struct dh_counter counters[] = {
	STATE("virgin", VIRGIN),
	STATE("exclusive", EXCLUSIVE),
	STATE("shared", SHARED),
	STATE("shared_modified", SHARED_MODIFIED),
	{NULL, 0},
};

extern const struct dh_engine_ops dh_engine_eraser;
const struct dh_engine_ops dh_engine_eraser = {
	.name = "eraser",
	.summary = "the classic locking discipline (Eraser), for comparison",
	.guarantees = "every report breaks the discipline; hardly depends on the schedule",
	.misses = "any order that is not a lock raises false alarms (fork and join, "
		  "barriers, hand-over)",
	.needs = DH_NEEDS_LOCKSETS,
	.size = sizeof(struct eraser),
	.cell_size = sizeof(struct cell),
	.counters = counters,
	.read = access,
	.write = access,
	.reset = reset,
	.copy = copy,
};
