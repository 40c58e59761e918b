/* SPDX-License-Identifier: MIT */
/*
 * MultiRace's LockSet alone (section 4, Figures 4 and 6): warns where no lock
 * protects all accesses of a variable that several threads use, with readers_lock
 * for reads and a fresh start at each barrier. The rules are in discipline.h.
 *
 * A barrier is global in the paper's model: when an episode closes (its first leave),
 * every variable but the virgin ones becomes Clean, whoever took part.
 */
#include "engines/discipline.h"
#include "engines/trail.h"
#include "event/stream.h"

struct cell {
	struct dh_discipline discipline;
	struct dh_trail trail;
};

struct frame {
	uint32_t ended; /* time frames so far */
	uint64_t since; /* index of the event that ended the last of them */
};

struct lockset {
	struct dh_engine engine;
	uint64_t episodes;
	struct dh_vec(struct frame) frames; /* by thread id */
	uint64_t in_state[DH_DISCIPLINE_STATES]; /* accesses, by the state they found */
	uint64_t warnings;
};

static struct frame *frame_of(struct lockset *l, const struct dh_thread *t)
{
	dh_vec_grow(&l->frames, (size_t)t->party.id + 1);
	return &l->frames.at[t->party.id];
}

/* An access that a filter delivers late may be of an earlier time frame: of none. */
static struct dh_discipline_clock clock_of(struct lockset *l, const struct dh_thread *t,
					   const struct dh_access *a)
{
	const struct frame *f = frame_of(l, t);
	uint32_t frame = a->index < f->since ? 0 : f->ended + 1;
	return (struct dh_discipline_clock){l->episodes, frame};
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct lockset *l = (struct lockset *)e;
	struct cell *c = cell;
	struct dh_discipline_clock now = clock_of(l, t, a);
	dh_discipline_settle(&c->discipline, &now);
	l->in_state[c->discipline.state]++;
	if (dh_discipline_access(&c->discipline, dh_engine_locksets(e), t, a, &now)) {
		l->warnings++;
		struct dh_race race = dh_trail_race(&c->trail, t, a, false);
		dh_engine_report(e, &race);
	}
	dh_trail_note(&c->trail, t, a);
}

static void sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	struct lockset *l = (struct lockset *)e;
	struct frame *f;
	switch (ev->op) {
	case DH_RELEASE:
	case DH_READ_RELEASE:
	case DH_BARRIER_ENTER:
		f = frame_of(l, t);
		f->ended++;
		f->since = ev->index;
		break;
	case DH_BARRIER_LEAVE:
		l->episodes += e->stream->episode_closed;
		break;
	}
}

static void fini(struct dh_engine *e)
{
	dh_vec_free(&((struct lockset *)e)->frames);
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

#define STATE(name, state) {name, offsetof(struct lockset, in_state[state])}
static const struct dh_counter counters[] = {
	STATE("virgin", DH_VIRGIN),
	STATE("initializing", DH_INITIALIZING),
	STATE("shared", DH_SHARED),
	STATE("empty", DH_EMPTY),
	STATE("clean", DH_CLEAN),
	STATE("exclusive", DH_EXCLUSIVE),
	{"barrier_episodes", offsetof(struct lockset, episodes)},
	{"warnings", offsetof(struct lockset, warnings)},
	{NULL, 0},
};

extern const struct dh_engine_ops dh_engine_lockset;
const struct dh_engine_ops dh_engine_lockset = {
	.name = "lockset",
	.summary = "locking discipline with barriers (LockSet of MultiRace)",
	.guarantees = "every report breaks the discipline; hardly depends on the schedule",
	.misses = "other ways to order accesses raise false alarms; what one thread did "
		  "before the first sharing is forgiven",
	.needs = DH_NEEDS_LOCKSETS,
	.size = sizeof(struct lockset),
	.cell_size = sizeof(struct cell),
	.counters = counters,
	.fini = fini,
	.sync = sync,
	.read = access,
	.write = access,
	.reset = reset,
	.copy = copy,
};
