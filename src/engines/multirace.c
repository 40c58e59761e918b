/* SPDX-License-Identifier: MIT */
/*
 * MultiRace: DJIT+ and LockSet over one access log (section 5). DJIT+ says what did
 * race (`observed`), LockSet what breaks the discipline; each warning of LockSet is
 * graded by happens-before, with its distance in time frames.
 *
 * DJIT+ checks are skipped while a lock is known to protect every access. The paper
 * takes C(v) for this, which does not hold what was done in Initializing, nor what
 * lies before a barrier that not all threads took part in: T1 writes v; T2 writes v
 * under L: C(v) = {L}, and their race would go unchecked. So a second set is kept,
 * the cover, refined by every logged access from the first on and never re-initialised
 * but with the variable. While it has a lock other than readers_lock, that lock
 * orders all conflicting accesses; while it has readers_lock, there was no write.
 */
#include "engines/discipline.h"
#include "engines/history.h"
#include "event/stream.h"

struct cell {
	struct dh_discipline discipline;
	struct dh_history history;
	dh_lockset cover;
	bool covered; /* cover is meaningful: there was an access */
};

struct multirace {
	struct dh_engine engine;
	uint64_t episodes;
	uint64_t first_accesses, repeats;
	uint64_t checks, checks_skipped; /* of access histories, by DJIT+ */
	uint64_t warnings;               /* of LockSet */
	uint64_t warnings_observed;      /* of these, with an unordered rival */
};

/* Refines the cover and tells whether DJIT+ has to look. */
static bool uncovered(struct multirace *m, struct cell *c, const struct dh_access *a)
{
	struct dh_lockset_table *table = dh_engine_locksets(&m->engine);
	dh_lockset lh = dh_discipline_locks(table, a);
	c->cover = c->covered ? dh_lockset_intersect(table, c->cover, lh) : lh;
	c->covered = true;
	return c->cover == DH_LOCKSET_EMPTY;
}

static void warn(struct multirace *m, struct cell *c, struct dh_thread *t,
		 const struct dh_access *a)
{
	struct dh_race race = {
		.var = a->var,
		.grade = DH_POTENTIAL,
		.second = dh_access_mark(t, a),
		.second_write = a->write,
	};
	dh_history_rival(&c->history, t, a, &race);
	m->warnings++;
	m->warnings_observed += race.grade == DH_OBSERVED;
	dh_engine_report(&m->engine, &race);
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct multirace *m = (struct multirace *)e;
	struct cell *c = cell;
	struct dh_discipline_clock now = {m->episodes, a->clock};
	/* Before the access is logged: its thread may have the slot, and so the entry, of
	 * an ended one, whose access is the rival. */
	if (dh_discipline_access(&c->discipline, dh_engine_locksets(e), t, a, &now))
		warn(m, c, t, a);
	if (dh_history_log(&c->history, t, a)) {
		m->first_accesses++;
		if (uncovered(m, c, a)) {
			m->checks++;
			dh_history_check(&c->history, e, t, a);
		} else {
			m->checks_skipped++;
		}
	} else {
		m->repeats++;
	}
}

static void sync(struct dh_engine *e, struct dh_thread *t, const struct dh_event *ev)
{
	(void)t;
	if (ev->op == DH_BARRIER_LEAVE)
		((struct multirace *)e)->episodes += e->stream->episode_closed;
}

static void reset(struct dh_engine *e, void *cell)
{
	(void)e;
	struct cell *c = cell;
	dh_history_free(&c->history);
	dh_zero(c, sizeof *c);
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	(void)e;
	struct cell *c = to;
	const struct cell *other = from;
	*c = *other;
	c->history = (struct dh_history){0};
	dh_history_copy(&c->history, &other->history);
}

#define COUNTER(name) {#name, offsetof(struct multirace, name)}
static const struct dh_counter counters[] = {
	COUNTER(first_accesses), COUNTER(repeats),
	COUNTER(checks),         COUNTER(checks_skipped),
	COUNTER(warnings),       COUNTER(warnings_observed),
	{"barrier_episodes", offsetof(struct multirace, episodes)},
	{NULL, 0},
};

extern const struct dh_engine_ops dh_engine_multirace;
const struct dh_engine_ops dh_engine_multirace = {
	.name = "multirace",
	.summary = "DJIT+ and LockSet together, warnings graded by happens-before "
		   "(MultiRace)",
	.guarantees = "observed ones are never false alarms and none that this run had is "
		      "missed; potential ones break the locking discipline",
	.misses = "potential races among accesses that the discipline forgives "
		  "(initialisation, barriers)",
	.needs = DH_NEEDS_STRONG | DH_NEEDS_LOCKSETS,
	.size = sizeof(struct multirace),
	.cell_size = sizeof(struct cell),
	.lock_order = true,
	.counters = counters,
	.sync = sync,
	.read = access,
	.write = access,
	.reset = reset,
	.copy = copy,
};
