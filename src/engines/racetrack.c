/* SPDX-License-Identifier: MIT */
/*
 * RaceTrack (Yu, Rodeheffer, Chen; SOSP 2005) with adaptive threadset and adaptive
 * granularity. The machine of Figure 4 is in racetrack_machine.c; here is what it is
 * run on, and what becomes of its findings.
 *
 * Granularity (section 2.4.2). Where the stream asks for it, the accesses to all
 * variables of an object are judged as if they were to one. Report-Race of an object
 * says only that its variables together are not protected by one lock, which is no
 * race: it is counted as a warning of low accuracy, and the object is refined. From
 * the next access on each of its variables has a machine of its own, from Virgin.
 * Where the stream does not ask, each variable is judged alone from the start.
 *
 * Fresh variables. alloc(x) makes x Virgin. The state of its object speaks of other
 * variables too, so it stays until every variable that was accessed since the object
 * was Virgin is fresh again; then the object starts over, at object level. For an
 * object of one variable that is at once. A state that stays too long can only make
 * the object be refined sooner: nothing is reported at object level.
 *
 * Grade and first access. The machine keeps no history, so each variable has a trail
 * (trail.h). It is noted at object level too: it is about the variable.
 *
 * Further accesses (section 3.6). After the report of a variable, the next ones by two
 * more threads are told, each with an earlier one that it is not ordered after but by
 * locks; where there is none on the trail it waits for the next.
 *
 * Deviation from the paper: a low-accuracy warning is counted and not shown, as the pair
 * is not known.
 */
#include "engines/racetrack.h"
#include "engines/trail.h"
#include "event/stream.h"

enum {
	CLOCK_LIMIT = 8192, /* section 3.5 */
	FURTHER_MOST = 2,
};

struct cell {
	dh_racetrack_words words; /* at field level */
	uint32_t object;	  /* the object that counts this variable, + 1; 0: none */
	uint32_t teller : 30;	  /* after a report: who was told of last */
	uint32_t further : 2;	  /* and how many have been since */
	struct dh_trail trail;
};

struct object {
	dh_racetrack_words words; /* Report-Race: refined */
	uint32_t
		accessed; /* variables accessed since it was Virgin and not fresh again */
};

struct racetrack {
	struct dh_engine engine;
	struct dh_racetrack_machine machine;
	struct dh_cells objects; /* struct object, by number */
	uint64_t refinements;
	uint64_t object_level_accesses;
	uint64_t field_level_accesses;
};

static void init(struct dh_engine *e)
{
	struct racetrack *r = (struct racetrack *)e;
	dh_racetrack_machine_init(&r->machine, dh_engine_locksets(e));
	r->objects.cell_size = sizeof(struct object);
}

static void fini(struct dh_engine *e)
{
	struct racetrack *r = (struct racetrack *)e;
	dh_racetrack_machine_free(&r->machine);
	dh_cells_free(&r->objects);
}

static void start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	(void)parent;
	dh_racetrack_machine_start(&((struct racetrack *)e)->machine, t);
}

/* The variable no longer counts as accessed in its object. */
static void leave_object(struct racetrack *r, struct cell *c)
{
	struct object *o = dh_cells_get(&r->objects, c->object - 1);
	if (--o->accessed == 0)
		dh_racetrack_forget(&r->machine, &o->words);
	c->object = 0;
}

static DH_NOINLINE void enter_object(struct racetrack *r, struct cell *c, uint32_t object)
{
	if (c->object)
		leave_object(r, c);
	c->object = object + 1;
	((struct object *)dh_cells_get(&r->objects, object))->accessed++;
}

/* Judges an access at object level. False where the object is refined, and the
 * access is the field's. */
static bool judge_object(struct racetrack *r, struct dh_thread *t, struct cell *c,
			 const struct dh_access *a)
{
	if (DH_UNLIKELY(c->object != a->object + 1))
		enter_object(r, c, a->object);
	struct object *o = dh_cells_get(&r->objects, a->object);
	if (dh_racetrack_state(o->words) == DH_RACETRACK_REPORT_RACE)
		return false;
	r->object_level_accesses++;
	if (dh_racetrack_advance(&r->machine, &o->words, t, a)) {
		r->refinements++;
		r->machine.low_accuracy++;
	}
	return true;
}

static void tell_further(struct racetrack *r, struct dh_thread *t, struct cell *c,
			 const struct dh_access *a)
{
	if (c->further == FURTHER_MOST || c->teller == t->party.id)
		return;
	struct dh_race race =
	    dh_trail_open(&c->trail, t, a, r->engine.ops->needs & DH_NEEDS_STRONG);
	if (!race.has_first)
		return;
	dh_engine_further(&r->engine, &race);
	c->teller = t->party.id;
	c->further++;
}

static void judge_field(struct racetrack *r, struct dh_thread *t, struct cell *c,
			const struct dh_access *a)
{
	r->field_level_accesses++;
	if (DH_UNLIKELY(dh_racetrack_state(c->words) == DH_RACETRACK_REPORT_RACE))
		tell_further(r, t, c, a);
	if (DH_LIKELY(!dh_racetrack_advance(&r->machine, &c->words, t, a)))
		return;
	bool strong = r->engine.ops->needs & DH_NEEDS_STRONG;
	struct dh_race race = dh_trail_race(&c->trail, t, a, strong);
	dh_engine_report(&r->engine, &race);
	c->teller = t->party.id;
	c->further = 0;
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct racetrack *r = (struct racetrack *)e;
	if (!e->stream->config.object_level || !judge_object(r, t, cell, a))
		judge_field(r, t, cell, a);
	dh_trail_note(&((struct cell *)cell)->trail, t, a);
}

static void reset(struct dh_engine *e, void *cell)
{
	struct racetrack *r = (struct racetrack *)e;
	struct cell *c = cell;
	dh_racetrack_forget(&r->machine, &c->words);
	if (c->object)
		leave_object(r, c);
	dh_zero(c, sizeof *c);
}

/* ---- for tests ---- */

dh_racetrack_words dh_racetrack_field(const void *cell)
{
	return ((const struct cell *)cell)->words;
}

dh_racetrack_words dh_racetrack_object(struct dh_engine *e, uint32_t object)
{
	struct racetrack *r = (struct racetrack *)e;
	return ((struct object *)dh_cells_get(&r->objects, object))->words;
}

struct dh_racetrack_machine *dh_racetrack_machine(struct dh_engine *e)
{
	return &((struct racetrack *)e)->machine;
}

/* clang-format off */
#define COUNTER(name) {#name, offsetof(struct racetrack, name)}
#define MACHINE(name) {#name, offsetof(struct racetrack, machine.name)}
#define STATE(name, id) {name, offsetof(struct racetrack, machine.in_state[id])}
/* clang-format on */
static const struct dh_counter counters[] = {
	STATE("virgin", DH_RACETRACK_VIRGIN),
	STATE("exclusive0", DH_RACETRACK_EXCLUSIVE0),
	STATE("exclusive1", DH_RACETRACK_EXCLUSIVE1),
	STATE("shared_read", DH_RACETRACK_SHARED_READ),
	STATE("shared_modify1", DH_RACETRACK_SHARED_MODIFY1),
	STATE("exclusive2", DH_RACETRACK_EXCLUSIVE2),
	STATE("shared_modify2", DH_RACETRACK_SHARED_MODIFY2),
	STATE("report_race", DH_RACETRACK_REPORT_RACE),
	COUNTER(refinements),
	COUNTER(object_level_accesses),
	COUNTER(field_level_accesses),
	MACHINE(low_accuracy),
	MACHINE(unchanged),
	MACHINE(threadsets_inserted),
	MACHINE(threadsets_reclaimed),
	MACHINE(table_overflow),
	{NULL, 0},
};

const struct dh_engine_ops dh_engine_racetrack = {
	.name = "racetrack",
	.summary = "adaptive lockset and threadset (RaceTrack, Figure 4)",
	.guarantees =
		"a report: accesses unordered but by locks, repeated, and no common "
		"lock; observed where this run's locks did not order them either",
	.misses = "races that do not repeat: the first pattern only raises suspicion",
	.needs = DH_NEEDS_STRONG | DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS,
	.clock_limit = CLOCK_LIMIT,
	.size = sizeof(struct racetrack),
	.cell_size = sizeof(struct cell),
	.counters = counters,
	.init = init,
	.fini = fini,
	.start = start,
	.read = access,
	.write = access,
	.reset = reset,
};
