/* SPDX-License-Identifier: MIT */
/*
 * Engines `racetrack-basic`, `racetrack` and `patent` on random traces, against plain
 * formulations of Figures 2 and 4: sets are arrays by thread, and happens-before is
 * the transitive closure over the events, one bit per event.
 */
#include "engines/patent.h"
#include "engines/racetrack.h"
#include "engines/racetrack_basic.h"
#include "event/stream.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum {
	TRACES = 3000,
	EVENTS = 64, /* at most: a set of events is one word */
	THREADS = 6,
	VARS = 3,
	LOCKS = 3,
	OBJECTS = 2, /* messages, barriers, volatiles: this many of each */
};

typedef uint64_t events; /* a set of events, by index */

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- random traces ---- */

struct actor {
	bool started, ended;
	int inside;		/* the barrier it waits in, or -1 */
	uint32_t writes, reads; /* locks held in either mode, one bit each */
};

struct trace {
	struct dh_event ev[EVENTS];
	uint32_t len;
	struct actor actors[THREADS];
};

static bool is_free(const struct trace *t, uint32_t lock, bool from_readers)
{
	for (int i = 0; i < THREADS; i++)
		if ((t->actors[i].writes | (from_readers ? t->actors[i].reads : 0)) >>
			    lock &
		    1)
			return false;
	return true;
}

static bool may_lock(const struct trace *t, const struct actor *a, uint8_t op,
		     uint32_t lock)
{
	switch (op) {
	case DH_ACQUIRE:
		return is_free(t, lock, true);
	case DH_READ_ACQUIRE:
		return is_free(t, lock, false) && !(a->reads >> lock & 1);
	case DH_RELEASE:
		return a->writes >> lock & 1;
	default:
		return a->reads >> lock & 1;
	}
}

/* Could this thread do this now? */
static bool is_possible(const struct trace *t, const struct dh_event *ev)
{
	const struct actor *a = &t->actors[ev->thread];
	const struct actor *other = &t->actors[ev->target % THREADS];
	if (a->ended)
		return false;
	if (a->inside >= 0)
		return ev->op == DH_BARRIER_LEAVE && (int)ev->target == a->inside;
	switch (ev->op) {
	case DH_FORK:
		return !other->started && ev->target != ev->thread;
	case DH_JOIN:
		return other->started && !other->ended && other->inside < 0 &&
		       !other->writes && !other->reads && ev->target != ev->thread;
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
	case DH_RELEASE:
	case DH_READ_RELEASE:
		return may_lock(t, a, ev->op, ev->target);
	case DH_BARRIER_LEAVE:
		return below(8) == 0; /* a leave without an enter is legal, and odd */
	default:
		return true;
	}
}

static void perform(struct trace *t, const struct dh_event *ev)
{
	struct actor *a = &t->actors[ev->thread];
	uint32_t bit = 1u << ev->target;
	a->started = true;
	if (ev->op == DH_FORK)
		t->actors[ev->target].started = true;
	else if (ev->op == DH_JOIN)
		t->actors[ev->target].ended = true;
	else if (ev->op == DH_ACQUIRE)
		a->writes |= bit;
	else if (ev->op == DH_READ_ACQUIRE)
		a->reads |= bit;
	else if (ev->op == DH_RELEASE)
		a->writes &= ~bit;
	else if (ev->op == DH_READ_RELEASE)
		a->reads &= ~bit;
	else if (ev->op == DH_BARRIER_ENTER)
		a->inside = (int)ev->target;
	else if (ev->op == DH_BARRIER_LEAVE)
		a->inside = -1;
}

static uint32_t random_target(uint8_t op)
{
	switch (dh_op_kind(op)) {
	case DH_NAME_THREAD:
		return below(THREADS);
	case DH_NAME_VAR:
		return below(VARS);
	case DH_NAME_LOCK:
		return below(LOCKS);
	default:
		return below(OBJECTS);
	}
}

static void make_trace(struct trace *t)
{
	static const uint8_t ops[] = {
		DH_READ,	  DH_READ,	    DH_WRITE,	      DH_WRITE,
		DH_READ,	  DH_WRITE,	    DH_ACQUIRE,	      DH_RELEASE,
		DH_ACQUIRE,	  DH_RELEASE,	    DH_READ_ACQUIRE,  DH_READ_RELEASE,
		DH_FORK,	  DH_JOIN,	    DH_SEND,	      DH_RECEIVE,
		DH_BARRIER_ENTER, DH_BARRIER_LEAVE, DH_VOLATILE_READ, DH_VOLATILE_WRITE,
		DH_ALLOC,
	};
	memset(t, 0, sizeof *t);
	for (int i = 0; i < THREADS; i++)
		t->actors[i].inside = -1;
	uint32_t active = 2 + below(THREADS - 1); /* fewer threads meet more often */
	bool allocs = below(2);
	while (t->len < EVENTS) {
		uint8_t op = ops[below(DH_ARRAY_LEN(ops))];
		struct dh_event ev = {.index = t->len, .op = op, .thread = below(active)};
		ev.target = random_target(op);
		ev.site = t->len + 1; /* distinct, so that no report counts as a repeat */
		if ((op == DH_ALLOC && !allocs) || !is_possible(t, &ev))
			continue;
		perform(t, &ev);
		t->ev[t->len++] = ev;
	}
}

/* ---- happens-before by closure ---- */

struct closure {
	events before[DH_RELATIONS][EVENTS];
	uint32_t locks[EVENTS]; /* that protect the access, one bit each */
};

struct closing {
	events last[THREADS]; /* the thread's last event, or its fork */
	events released[LOCKS], read_released[LOCKS];
	events sent[OBJECTS], written[OBJECTS];
	events entered[EVENTS]; /* by episode */
	bool left[EVENTS];
	int current[OBJECTS], inside[THREADS]; /* episodes, or -1 */
	int episodes;
};

static int episode(struct closing *c, uint32_t barrier, bool fresh)
{
	int *e = &c->current[barrier];
	if (*e < 0 || (fresh && c->left[*e]))
		*e = c->episodes++;
	return *e;
}

/* The events that this one is directly ordered after, but for locks. */
static events weak_edges(struct closing *c, const struct dh_event *ev)
{
	events self = (events)1 << ev->index, after = c->last[ev->thread];
	int e;
	c->last[ev->thread] = self;
	switch (ev->op) {
	case DH_FORK:
		c->last[ev->target] = self;
		break;
	case DH_JOIN:
		after |= c->last[ev->target];
		break;
	case DH_SEND:
		c->sent[ev->target] |= self;
		break;
	case DH_RECEIVE:
		after |= c->sent[ev->target];
		break;
	case DH_VOLATILE_WRITE:
		c->written[ev->target] |= self;
		break;
	case DH_VOLATILE_READ:
		after |= c->written[ev->target];
		break;
	case DH_BARRIER_ENTER:
		e = c->inside[ev->thread] = episode(c, ev->target, true);
		c->entered[e] |= self;
		break;
	case DH_BARRIER_LEAVE:
		e = c->inside[ev->thread];
		e = e >= 0 ? e : episode(c, ev->target, false);
		c->inside[ev->thread] = -1;
		c->left[e] = true;
		after |= c->entered[e];
		break;
	}
	return after;
}

static events lock_edges(struct closing *c, const struct dh_event *ev)
{
	events self = (events)1 << ev->index;
	switch (ev->op) {
	case DH_ACQUIRE:
		return c->released[ev->target] | c->read_released[ev->target];
	case DH_READ_ACQUIRE:
		return c->released[ev->target];
	case DH_RELEASE:
		c->released[ev->target] |= self;
		return 0;
	case DH_READ_RELEASE:
		c->read_released[ev->target] |= self;
		return 0;
	default:
		return 0;
	}
}

static events close_over(const events *before, events direct)
{
	events all = direct;
	for (events rest = direct; rest; rest &= rest - 1)
		all |= before[__builtin_ctzll(rest)];
	return all;
}

static void close_trace(const struct trace *t, struct closure *cl)
{
	struct closing c = {0};
	struct trace replay = {0};
	memset(c.current, -1, sizeof c.current);
	memset(c.inside, -1, sizeof c.inside);
	for (uint32_t i = 0; i < t->len; i++) {
		const struct dh_event *ev = &t->ev[i];
		events weak = weak_edges(&c, ev), locks = lock_edges(&c, ev);
		cl->before[DH_WEAK][i] = close_over(cl->before[DH_WEAK], weak);
		cl->before[DH_STRONG][i] =
			close_over(cl->before[DH_STRONG], weak | locks);
		perform(&replay, ev);
		const struct actor *a = &replay.actors[ev->thread];
		cl->locks[i] = a->writes | (ev->op == DH_READ ? a->reads : 0);
	}
}

static bool is_before(const struct closure *cl, enum dh_relation r, int i, uint64_t j)
{
	return cl->before[r][j] >> i & 1;
}

/* ---- Figure 2 ---- */

struct finding {
	uint32_t var;
	int first, second;
	enum dh_grade grade;
};

struct findings {
	struct finding at[EVENTS];
	uint32_t len;
};

struct plain2 {
	bool in[THREADS];     /* S_x */
	int last[THREADS][2]; /* last read and write since the thread joined, or -1 */
	uint32_t locks;	      /* C_x */
	bool reported;
};

static int worth(const struct trace *t, const struct closure *cl, int i, uint64_t j)
{
	if (t->ev[i].op == DH_READ && t->ev[j].op == DH_READ)
		return 1;
	return is_before(cl, DH_STRONG, i, j) ? 2 : 3;
}

static struct finding judge(const struct trace *t, const struct closure *cl,
			    const struct plain2 *x, const struct dh_event *ev)
{
	int best = -1, best_worth = 0;
	for (uint32_t u = 0; u < THREADS; u++) {
		for (int k = 0; k < 2 && x->in[u] && u != ev->thread; k++) {
			int i = x->last[u][k];
			int w = i < 0 ? 0 : worth(t, cl, i, ev->index);
			if (w > best_worth || (w && w == best_worth && i > best)) {
				best = i;
				best_worth = w;
			}
		}
	}
	return (struct finding){ev->target, best, (int)ev->index,
				best_worth == 3 ? DH_OBSERVED : DH_POTENTIAL};
}

/* Returns |S_x|. */
static int update_labels(struct plain2 *x, const struct closure *cl,
			 const struct dh_event *ev)
{
	int size = 0;
	for (uint32_t u = 0; u < THREADS; u++) {
		if (x->in[u] && u != ev->thread &&
		    is_before(cl, DH_WEAK, DH_MAX(x->last[u][0], x->last[u][1]),
			      ev->index))
			x->in[u] = false;
		if (u == ev->thread) {
			if (!x->in[u])
				x->last[u][0] = x->last[u][1] = -1;
			x->in[u] = true;
			x->last[u][ev->op == DH_WRITE] = (int)ev->index;
		}
		size += x->in[u];
	}
	return size;
}

static void figure2(const struct trace *t, const struct closure *cl, struct findings *out)
{
	struct plain2 vars[VARS] = {0};
	out->len = 0;
	for (uint32_t i = 0; i < t->len; i++) {
		const struct dh_event *ev = &t->ev[i];
		struct plain2 *x = &vars[ev->target % VARS];
		if (ev->op == DH_ALLOC)
			memset(x, 0, sizeof *x);
		if (!dh_op_is_access(ev->op))
			continue;
		int size = update_labels(x, cl, ev);
		x->locks = size > 1 ? x->locks & cl->locks[i] : cl->locks[i];
		if (size > 1 && !x->locks && !x->reported) {
			out->at[out->len++] = judge(t, cl, x, ev);
			x->reported = true;
		}
	}
}

/* ---- Figure 4 ---- */

struct plain4 {
	enum dh_racetrack_state state;
	uint32_t owner;	     /* Exclusive0 */
	int labels[THREADS]; /* S_x: the thread's last access + 1; 0: none */
	uint32_t locks;	     /* C_x */
};

static int update_threadset(struct plain4 *x, const struct closure *cl,
			    const struct dh_event *ev)
{
	int size = 0;
	for (uint32_t u = 0; u < THREADS; u++) {
		if (x->labels[u] && is_before(cl, DH_WEAK, x->labels[u] - 1, ev->index))
			x->labels[u] = 0;
		if (u == ev->thread)
			x->labels[u] = (int)ev->index + 1;
		size += x->labels[u] != 0;
	}
	return size;
}

static void only_label(struct plain4 *x, const struct dh_event *ev)
{
	memset(x->labels, 0, sizeof x->labels);
	x->labels[ev->thread] = (int)ev->index + 1;
}

static void step4(struct plain4 *x, const struct closure *cl, const struct dh_event *ev)
{
	bool write = ev->op == DH_WRITE;
	uint32_t locks = cl->locks[ev->index];
	switch (x->state) {
	case DH_RACETRACK_VIRGIN:
		x->state = DH_RACETRACK_EXCLUSIVE0;
		x->owner = ev->thread;
		break;
	case DH_RACETRACK_EXCLUSIVE0:
		if (x->owner != ev->thread)
			x->state = DH_RACETRACK_EXCLUSIVE1;
		only_label(x, ev);
		break;
	case DH_RACETRACK_EXCLUSIVE1:
		if (update_threadset(x, cl, ev) > 1) {
			x->state = write ? DH_RACETRACK_SHARED_MODIFY1
					 : DH_RACETRACK_SHARED_READ;
			x->locks = locks;
		}
		break;
	case DH_RACETRACK_SHARED_READ:
	case DH_RACETRACK_SHARED_MODIFY1:
		x->locks &= locks;
		if (write)
			x->state = DH_RACETRACK_SHARED_MODIFY1;
		break;
	case DH_RACETRACK_EXCLUSIVE2:
	case DH_RACETRACK_SHARED_MODIFY2:
		if (update_threadset(x, cl, ev) == 1) {
			x->state = DH_RACETRACK_EXCLUSIVE2;
			break;
		}
		x->locks = x->state == DH_RACETRACK_EXCLUSIVE2 ? locks : x->locks & locks;
		x->state =
			x->locks ? DH_RACETRACK_SHARED_MODIFY2 : DH_RACETRACK_REPORT_RACE;
		break;
	default:
		break;
	}
	if (x->state == DH_RACETRACK_SHARED_MODIFY1 && !x->locks) {
		x->state = DH_RACETRACK_EXCLUSIVE2;
		only_label(x, ev);
	}
}

/* ---- comparison ---- */

struct run {
	struct dh_stream *stream;
	struct dh_engine *basic, *patent, *racetrack; /* the last may be NULL */
	struct findings found[3];
};

static void on_race(void *context, struct dh_engine *e, const struct dh_race *r)
{
	struct run *run = context;
	int which = e == run->basic ? 0 : e == run->patent ? 1 : 2;
	struct findings *f = &run->found[which];
	assert_true(f->len < EVENTS);
	f->at[f->len++] =
		(struct finding){r->var, r->has_first ? (int)r->first.index : -1,
				 (int)r->second.index, r->grade};
}

static void compare(const struct findings *expected, const struct findings *found,
		    const char *who, int n)
{
	if (expected->len != found->len)
		fail_msg("trace %d: %s reports %u, not %u", n, who, found->len,
			 expected->len);
	for (uint32_t i = 0; i < found->len; i++) {
		const struct finding *a = &expected->at[i], *b = &found->at[i];
		if (a->var != b->var || a->second != b->second || a->first != b->first ||
		    a->grade != b->grade)
			fail_msg("trace %d: %s has %d-%d grade %d, not %d-%d grade %d", n,
				 who, b->first, b->second, b->grade, a->first, a->second,
				 a->grade);
	}
}

/* Feeds the trace; where `racetrack` runs, its state is compared at every access. */
static void play(struct run *run, const struct trace *t, const struct closure *cl, int n)
{
	struct plain4 vars[VARS] = {0};
	uint32_t reported = 0;
	for (uint32_t i = 0; i < t->len; i++) {
		const struct dh_event *ev = &t->ev[i];
		dh_stream_feed(run->stream, ev);
		struct plain4 *x = &vars[ev->target % VARS];
		if (ev->op == DH_ALLOC)
			memset(x, 0, sizeof *x);
		if (!dh_op_is_access(ev->op) || !run->racetrack)
			continue;
		bool done = x->state == DH_RACETRACK_REPORT_RACE;
		step4(x, cl, ev);
		void *cell = dh_cells_get(&run->racetrack->cells, ev->target);
		if (dh_racetrack_state(dh_racetrack_field(cell)) != x->state)
			fail_msg("trace %d, event %u: state %d, not %d", n, i,
				 dh_racetrack_state(dh_racetrack_field(cell)), x->state);
		reported += !done && x->state == DH_RACETRACK_REPORT_RACE;
		assert_int_equal(run->found[2].len, reported);
	}
}

/* Which grades and states the traces reached, so that silence is no proof. */
struct reach {
	uint64_t observed, potential, silent;
	uint64_t states[DH_RACETRACK_STATES];
	uint64_t slots_reused;
};

static void one_trace(int n, struct reach *reach)
{
	struct trace t;
	struct closure cl;
	struct findings expected;
	make_trace(&t);
	close_trace(&t, &cl);
	figure2(&t, &cl, &expected);

	struct run run = {0};
	struct dh_stream_config config = {.on_race = on_race, .context = &run};
	run.stream = dh_stream_new(&config);
	run.basic = dh_stream_add(run.stream, &dh_engine_racetrack_basic);
	run.patent = dh_stream_add(run.stream, &dh_engine_patent);
	if (n % 2) /* bounds the weak clocks, for the others too */
		run.racetrack = dh_stream_add(run.stream, &dh_engine_racetrack);
	play(&run, &t, &cl, n);
	compare(&expected, &run.found[0], "racetrack-basic", n);
	compare(&expected, &run.found[1], "patent", n);

	reach->silent += expected.len == 0;
	for (uint32_t i = 0; i < expected.len; i++)
		*(expected.at[i].grade == DH_OBSERVED ? &reach->observed
						      : &reach->potential) += 1;
	for (int s = 0; s < DH_RACETRACK_STATES && run.racetrack; s++)
		reach->states[s] += dh_racetrack_machine(run.racetrack)->in_state[s];
	reach->slots_reused += run.stream->order.slots_reused;
	dh_stream_free(run.stream);
}

static void test_random_traces(void **state)
{
	(void)state;
	struct reach reach = {0};
	seed = 0x9e3779b97f4a7c15ull;
	for (int n = 0; n < TRACES; n++)
		one_trace(n, &reach);
	assert_true(reach.observed > 100 && reach.potential > 100 && reach.silent > 10);
	assert_true(reach.slots_reused > 100);
	for (int s = 0; s < DH_RACETRACK_STATES; s++)
		assert_true(reach.states[s] > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
