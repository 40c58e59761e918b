/* SPDX-License-Identifier: MIT */
/*
 * The patent application that RaceTrack grew out of (Yu: detecting potential races in
 * multithreaded programs), in its own terms. Each thread t has a virtual clock C_t,
 * from 0, and a set B_t of thread segments <u, c> that are ordered before its current
 * segment. Each location x has the set T_x of segments that access it concurrently
 * and the set S_x of locks.
 *
 *   fork of t1 by t (Figure 7A)   B_t1 = B_t and <t, C_t>; C_t + 1; C_t1 = 0
 *   join of t1 by t (Figure 7B)   B_t = B_t, B_t1 without the segments of t,
 *                                 and <t1, C_t1>
 *   access of x by t (Figure 8)   T_x = what of T_x is not ordered before t, and
 *                                 <t, C_t>; |T_x| <= 1 ? S_x = S_t : S_x meets S_t;
 *                                 report if |T_x| > 1 and S_x is empty
 *
 * Messages, volatiles and barriers, of which the patent does not speak, are a fork and
 * a join in two halves: who sends adds B_t and <t, C_t> to a set that the object
 * carries, and goes on with C_t + 1; who receives adds that set, without its own
 * segments, to B_t. Locks order nothing.
 *
 * Ordered before. Read to the letter, a segment is ordered before t if it is in B_t.
 * But B_t never gets t's own earlier segments, so a second child would not know of
 * what its parent did before the first fork: t accesses x in <t, 0>, forks t1, forks
 * t2 with B = {<t, 1>}; t2 accesses x, and <t, 0> counts as concurrent. So here a
 * segment is ordered before t if B_t has one of the same thread with an equal or
 * later clock, or if it is t's own. With this the verdicts are those of engine
 * `racetrack-basic`, whose clocks tick at the same steps and more (see there why more
 * does not matter), and whose Remove asks the same question.
 *
 * The strong relation serves the grade alone.
 */
#include "engines/patent.h"
#include "base/map.h"
#include "engines/rival.h"

struct strand {
	uint32_t clock;		   /* C_t */
	struct dh_segments before; /* B_t, without segments of t itself */
};

/* One use of a barrier. */
struct episode {
	struct dh_segments entered;
	uint32_t
		holders; /* threads inside, and the barrier while it is the current one */
	bool left;	 /* someone has left: the next to enter opens a new one */
};

/* A segment in T_x; for reports also its last read [0] and write [1]. */
struct visit {
	uint32_t thread;
	uint32_t clock;
	dh_epoch epoch[2]; /* DH_EPOCH_NONE: no such access */
	uint64_t index[2];
	uint32_t site[2];
};

struct cell {
	struct dh_vec(struct visit) visits; /* T_x, ascending threads, none twice */
	dh_lockset locks;		    /* S_x */
	bool reported;
};

struct patent {
	struct dh_engine engine;
	struct dh_vec(struct strand) strands;	    /* by thread id */
	struct dh_vec(struct dh_segments) messages; /* what senders so far knew */
	struct dh_vec(struct dh_segments) volatiles;
	struct dh_vec(struct episode *) barriers; /* the current episode, or NULL */
	struct dh_map inside; /* barrier and thread -> the episode it entered */
	uint64_t exclusive;   /* accesses that left one segment: S_x <- S_t */
	uint64_t shared;      /* accesses that left several: S_x is refined */
	uint64_t after_report;
};

/* ---- order ---- */

/* What t knows and its segment go to `to`; t begins a new segment. */
static void give(struct patent *p, uint32_t t, struct dh_segments *to)
{
	struct strand *s = &p->strands.at[t];
	dh_segments_add_all(to, &s->before, DH_SEGMENTS_NO_ONE);
	dh_segments_add(to, t, s->clock);
	s->clock++;
}

static void take(struct patent *p, uint32_t t, const struct dh_segments *from)
{
	dh_segments_add_all(&p->strands.at[t].before, from, t);
}

static void start(struct dh_engine *e, struct dh_thread *t, struct dh_thread *parent)
{
	struct patent *p = (struct patent *)e;
	dh_vec_grow(&p->strands, (size_t)t->party.id + 1);
	if (parent)
		give(p, parent->party.id, &p->strands.at[t->party.id].before);
}

static void join(struct patent *p, uint32_t t, uint32_t child)
{
	const struct strand *c = &p->strands.at[child];
	take(p, t, &c->before);
	dh_segments_add(&p->strands.at[t].before, child, c->clock);
}

/* ---- barriers: episodes as in clock/order.h ---- */

static void episode_drop(struct episode *e)
{
	if (!e || --e->holders > 0)
		return;
	dh_segments_free(&e->entered);
	dh_mem_free(e, sizeof *e);
}

/* The current episode of a barrier; a new one where there is none, or where `fresh`
 * asks for one that nobody has left. */
static struct episode *episode_of(struct patent *p, uint32_t barrier, bool fresh)
{
	dh_vec_grow(&p->barriers, (size_t)barrier + 1);
	struct episode **current = &p->barriers.at[barrier];
	if (!*current || (fresh && (*current)->left)) {
		episode_drop(*current);
		*current = dh_mem_alloc(sizeof **current);
		(*current)->holders = 1;
	}
	return *current;
}

static uint64_t inside_key(uint32_t barrier, uint32_t t)
{
	return (uint64_t)barrier << 32 | t;
}

static void enter(struct patent *p, uint32_t t, uint32_t barrier)
{
	struct episode *e = episode_of(p, barrier, true);
	give(p, t, &e->entered);
	uint64_t *in = dh_map_put(&p->inside, inside_key(barrier, t), NULL);
	e->holders++;
	episode_drop((struct episode *)(uintptr_t)*in);
	*in = (uintptr_t)e;
}

static void leave(struct patent *p, uint32_t t, uint32_t barrier)
{
	uint64_t *in = dh_map_get(&p->inside, inside_key(barrier, t));
	struct episode *e =
		in ? (struct episode *)(uintptr_t)*in : episode_of(p, barrier, false);
	e->left = true;
	take(p, t, &e->entered);
	if (in) {
		dh_map_remove(&p->inside, inside_key(barrier, t));
		episode_drop(e);
	}
}

static void sync(struct dh_engine *e, struct dh_thread *thread, const struct dh_event *ev)
{
	struct patent *p = (struct patent *)e;
	uint32_t t = thread->party.id;
	switch ((enum dh_op)ev->op) {
	case DH_JOIN:
		join(p, t, ev->target);
		break;
	case DH_SEND:
		dh_vec_grow(&p->messages, (size_t)ev->target + 1);
		give(p, t, &p->messages.at[ev->target]);
		break;
	case DH_RECEIVE:
		dh_vec_grow(&p->messages, (size_t)ev->target + 1);
		take(p, t, &p->messages.at[ev->target]);
		break;
	case DH_VOLATILE_WRITE:
		dh_vec_grow(&p->volatiles, (size_t)ev->target + 1);
		give(p, t, &p->volatiles.at[ev->target]);
		break;
	case DH_VOLATILE_READ:
		dh_vec_grow(&p->volatiles, (size_t)ev->target + 1);
		take(p, t, &p->volatiles.at[ev->target]);
		break;
	case DH_BARRIER_ENTER:
		enter(p, t, ev->target);
		break;
	case DH_BARRIER_LEAVE:
		leave(p, t, ev->target);
		break;
	default: /* a fork is start() of the child; locks order nothing */
		break;
	}
}

/* ---- accesses ---- */

/* The new T_x; returns the place of t's segment in it. t's own former segment is
 * overwritten, but what it remembers for reports stays. */
static struct visit *update_visits(struct cell *c, uint32_t t, const struct strand *s)
{
	size_t kept = 0, own = SIZE_MAX, before_own = 0;
	for (size_t i = 0; i < c->visits.len; i++) {
		const struct visit *v = &c->visits.at[i];
		if (v->thread == t)
			own = kept;
		else if (dh_segments_reach(&s->before, v->thread, v->clock))
			continue;
		before_own += v->thread < t;
		if (kept != i)
			c->visits.at[kept] = *v;
		kept++;
	}
	c->visits.len = kept;
	if (own == SIZE_MAX) {
		own = before_own;
		dh_vec_grow(&c->visits, kept + 1);
		for (size_t i = kept; i > own; i--)
			c->visits.at[i] = c->visits.at[i - 1];
		c->visits.at[own] = (struct visit){.thread = t};
	}
	c->visits.at[own].clock = s->clock;
	return &c->visits.at[own];
}

/* An access that a filter delivers late does not displace a later one. */
static void note(struct visit *own, const struct dh_thread *t, const struct dh_access *a)
{
	if (DH_UNLIKELY(a->index < own->index[a->write]))
		return;
	own->epoch[a->write] = dh_access_epoch(t, a);
	own->index[a->write] = a->index;
	own->site[a->write] = a->site;
}

static DH_COLD void report(struct dh_engine *e, const struct dh_thread *t, struct cell *c,
			   const struct dh_access *a)
{
	bool strong = e->ops->needs & DH_NEEDS_STRONG;
	struct dh_rival rival = {0};
	for (size_t i = 0; i < c->visits.len * 2; i++) {
		const struct visit *v = &c->visits.at[i / 2];
		bool write = i % 2;
		if (!v->epoch[write])
			continue;
		struct dh_mark mark = {v->index[write], v->thread, v->site[write]};
		dh_rival_offer(&rival, t, a, mark, write, v->epoch[write], strong);
	}
	struct dh_race race = dh_rival_race(&rival, t, a);
	dh_engine_report(e, &race);
	dh_vec_free(&c->visits);
	c->reported = true;
}

static void access(struct dh_engine *e, struct dh_thread *t, void *cell,
		   const struct dh_access *a)
{
	struct patent *p = (struct patent *)e;
	struct cell *c = cell;
	if (c->reported) {
		p->after_report++;
		return;
	}
	struct visit *own = update_visits(c, t->party.id, &p->strands.at[t->party.id]);
	note(own, t, a);
	if (c->visits.len <= 1) {
		p->exclusive++;
		c->locks = a->locks;
		return;
	}
	p->shared++;
	c->locks = dh_lockset_intersect(dh_engine_locksets(e), c->locks, a->locks);
	if (DH_UNLIKELY(c->locks == DH_LOCKSET_EMPTY))
		report(e, t, c, a);
}

static void reset(struct dh_engine *e, void *cell)
{
	(void)e;
	struct cell *c = cell;
	dh_vec_free(&c->visits);
	dh_zero(c, sizeof *c);
}

static void copy(struct dh_engine *e, void *to, const void *from)
{
	(void)e;
	struct cell *c = to;
	const struct cell *other = from;
	c->locks = other->locks;
	c->reported = other->reported;
	dh_vec_grow(&c->visits, other->visits.len);
	dh_copy(c->visits.at, other->visits.at, other->visits.len * sizeof *c->visits.at);
}

static void forget(struct dh_engine *e, enum dh_name_kind kind, uint32_t number)
{
	struct patent *p = (struct patent *)e;
	if (kind == DH_NAME_MESSAGE && number < p->messages.len)
		dh_segments_free(&p->messages.at[number]);
	else if (kind == DH_NAME_VOLATILE && number < p->volatiles.len)
		dh_segments_free(&p->volatiles.at[number]);
}

static void fini(struct dh_engine *e)
{
	struct patent *p = (struct patent *)e;
	for (size_t i = 0; i < p->inside.cap; i++)
		if (p->inside.used[i])
			episode_drop(
				(struct episode *)(uintptr_t)p->inside.slots[i].value);
	for (size_t i = 0; i < p->barriers.len; i++)
		episode_drop(p->barriers.at[i]);
	for (size_t i = 0; i < p->messages.len; i++)
		dh_segments_free(&p->messages.at[i]);
	for (size_t i = 0; i < p->volatiles.len; i++)
		dh_segments_free(&p->volatiles.at[i]);
	for (size_t i = 0; i < p->strands.len; i++)
		dh_segments_free(&p->strands.at[i].before);
	dh_map_free(&p->inside);
	dh_vec_free(&p->barriers);
	dh_vec_free(&p->messages);
	dh_vec_free(&p->volatiles);
	dh_vec_free(&p->strands);
}

/* ---- for tests ---- */

uint32_t dh_patent_clock(const struct dh_engine *e, uint32_t thread)
{
	return ((const struct patent *)e)->strands.at[thread].clock;
}

const struct dh_segments *dh_patent_before(const struct dh_engine *e, uint32_t thread)
{
	return &((const struct patent *)e)->strands.at[thread].before;
}

uint32_t dh_patent_size(const void *cell)
{
	return (uint32_t)((const struct cell *)cell)->visits.len;
}

bool dh_patent_has(const void *cell, uint32_t thread, uint32_t clock)
{
	const struct cell *c = cell;
	for (size_t i = 0; i < c->visits.len; i++)
		if (c->visits.at[i].thread == thread && c->visits.at[i].clock == clock)
			return true;
	return false;
}

dh_lockset dh_patent_locks(const void *cell)
{
	const struct cell *c = cell;
	return c->visits.len ? c->locks : DH_LOCKSET_ALL;
}

/* clang-format off */
#define COUNTER(name) {#name, offsetof(struct patent, name)}
/* clang-format on */
static const struct dh_counter counters[] = {
	COUNTER(exclusive),
	COUNTER(shared),
	COUNTER(after_report),
	{NULL, 0},
};

const struct dh_engine_ops dh_engine_patent = {
	.name = "patent",
	.summary = "thread segments and locksets (the patent that RaceTrack grew out of)",
	.guarantees = "reports what racetrack-basic reports",
	.misses = "what racetrack-basic misses",
	.needs = DH_NEEDS_STRONG | DH_NEEDS_LOCKSETS,
	.size = sizeof(struct patent),
	.cell_size = sizeof(struct cell),
	.counters = counters,
	.fini = fini,
	.start = start,
	.sync = sync,
	.read = access,
	.write = access,
	.reset = reset,
	.copy = copy,
	.forget = forget,
};
