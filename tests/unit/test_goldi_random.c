/* SPDX-License-Identifier: MIT */
/*
 * The Goldilocks engines on random traces against a naive happens-before: for each event
 * the set of all events before it, by the text of the contract. The list of cells is kept
 * so short that reclamation happens all the time. Also the bit matrix on its own, and a
 * run with more distinct locksets than a pass likes.
 */
#include "engines/goldi.h"
#include "event/stream.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_goldilocks;
extern const struct dh_engine_ops dh_engine_goldilocks_paper;

enum { EVENTS = 192, THREADS = 6, VARS = 4, LOCKS = 2, NAMES = 2, TRACES = 3000 };

struct trace {
	uint32_t len;
	struct dh_event at[EVENTS];
};

static uint64_t rng_state;

static uint32_t below(uint32_t n)
{
	rng_state += 0x9e3779b97f4a7c15ull;
	return (uint32_t)(dh_mix(rng_state) >> 32) % n;
}

/* ---- random well-formed traces ---- */

struct world {
	uint32_t threads;
	bool begun[THREADS], joined[THREADS];
	int writer[LOCKS]; /* 1 + thread, or 0 */
	bool reader[LOCKS][THREADS];
};

static bool others_read(const struct world *w, uint32_t lock, uint32_t t)
{
	for (uint32_t u = 0; u < w->threads; u++)
		if (u != t && w->reader[lock][u])
			return true;
	return false;
}

/* Could thread t do this now? Brings the world up to date if so. */
static bool permit(struct world *w, uint32_t t, enum dh_op op, uint32_t x)
{
	bool mine =
	    op >= DH_ACQUIRE && op <= DH_READ_RELEASE && w->writer[x] == (int)t + 1;
	switch (op) {
	case DH_ACQUIRE:
		if (w->writer[x] || others_read(w, x, t))
			return false;
		w->writer[x] = (int)t + 1;
		return true;
	case DH_RELEASE:
		if (mine)
			w->writer[x] = 0;
		return mine;
	case DH_READ_ACQUIRE:
		if ((w->writer[x] && !mine) || w->reader[x][t])
			return false;
		return w->reader[x][t] = true;
	case DH_READ_RELEASE:
		if (!w->reader[x][t])
			return false;
		w->reader[x][t] = false;
		return true;
	case DH_FORK:
		return x < w->threads && !w->begun[x] && (w->begun[x] = true);
	case DH_JOIN:
		return x < w->threads && x != t && w->begun[x] && below(4) == 0 &&
		       (w->joined[x] = true);
	default:
		return true;
	}
}

/* How many to choose from; mostly one channel, so that threads meet. */
static uint32_t targets(enum dh_op op)
{
	switch (dh_op_kind(op)) {
	case DH_NAME_VAR:
		return VARS;
	case DH_NAME_LOCK:
		return LOCKS;
	case DH_NAME_THREAD:
		return THREADS;
	default:
		return below(3) ? 1 : NAMES;
	}
}

static enum dh_op random_op(uint32_t accesses)
{
	static const enum dh_op sync[] = {
	    DH_ACQUIRE,	      DH_RELEASE,	 DH_ACQUIRE,	   DH_RELEASE,
	    DH_READ_ACQUIRE,  DH_READ_RELEASE,	 DH_FORK,	   DH_JOIN,
	    DH_SEND,	      DH_RECEIVE,	 DH_BARRIER_ENTER, DH_BARRIER_LEAVE,
	    DH_VOLATILE_READ, DH_VOLATILE_WRITE,
	};
	uint32_t k = below(100);
	if (k < 2)
		return DH_ALLOC;
	if (k < 2 + accesses)
		return below(3) ? DH_READ : DH_WRITE;
	return sync[below(DH_ARRAY_LEN(sync))];
}

/* Some threads are forked, others start by themselves, early or late. */
static void make_trace(struct trace *tr, uint64_t seed)
{
	struct world w = {0};
	rng_state = seed;
	w.threads = 2 + below(THREADS - 1);
	tr->len = 20 + below(EVENTS - 20);
	uint32_t shy = 1 + below(60), stay = below(90), accesses = 5 + below(35);
	uint32_t t = 0;
	w.begun[0] = true;
	for (uint32_t n = 0; n < tr->len;) {
		t = below(100) < stay ? t : below(w.threads);
		if (w.joined[t] || (!w.begun[t] && below(shy))) {
			t = below(w.threads);
			if (w.joined[t] || !w.begun[t])
				t = 0;
		}
		enum dh_op op = random_op(accesses);
		uint32_t x = below(targets(op));
		if (w.joined[t])
			w.joined[t] = false, tr->len = n; /* everyone has gone */
		else if (permit(&w, t, op, x)) {
			w.begun[t] = true;
			tr->at[n] = (struct dh_event){.index = n,
						      .thread = t,
						      .target = x,
						      .site = n + 1,
						      .op = (uint8_t)op};
			n++;
		}
	}
}

/* ---- the naive order ---- */

struct before {
	bool at[EVENTS][EVENTS]; /* [later][earlier] */
};

static void add_before(struct before *b, uint32_t later, uint32_t earlier)
{
	b->at[later][earlier] = true;
	for (uint32_t i = 0; i < earlier; i++)
		b->at[later][i] |= b->at[earlier][i];
}

/* Does the contract order event i directly before event j, barriers apart? */
static bool is_edge(const struct dh_event *i, const struct dh_event *j)
{
	bool same = i->target == j->target;
	if (i->thread == j->thread)
		return true;
	if (i->op == DH_FORK && i->target == j->thread)
		return true;
	switch ((enum dh_op)j->op) {
	case DH_JOIN: /* the fork too: the thread may have had no event */
		return i->thread == j->target || (same && i->op == DH_FORK);
	case DH_ACQUIRE:
		return same && (i->op == DH_RELEASE || i->op == DH_READ_RELEASE);
	case DH_READ_ACQUIRE:
		return same && i->op == DH_RELEASE;
	case DH_RECEIVE:
		return same && i->op == DH_SEND;
	case DH_VOLATILE_READ:
		return same && i->op == DH_VOLATILE_WRITE;
	default:
		return false;
	}
}

/* The episode of each enter and leave, counted per barrier. */
static void number_episodes(const struct trace *tr, uint32_t *episode)
{
	uint32_t current[NAMES] = {0}, entered[NAMES][THREADS] = {{0}};
	bool left[NAMES] = {false};
	for (uint32_t n = 0; n < tr->len; n++) {
		const struct dh_event *ev = &tr->at[n];
		uint32_t b = ev->target, *in = entered[b % NAMES] + ev->thread;
		if (ev->op == DH_BARRIER_ENTER) {
			if (left[b]) {
				current[b]++;
				left[b] = false;
			}
			episode[n] = current[b];
			*in = current[b] + 1;
		} else if (ev->op == DH_BARRIER_LEAVE) {
			episode[n] = *in ? *in - 1 : current[b];
			left[b] |= episode[n] == current[b];
			*in = 0;
		}
	}
}

static void make_before(const struct trace *tr, struct before *b)
{
	uint32_t episode[EVENTS] = {0};
	memset(b, 0, sizeof *b);
	number_episodes(tr, episode);
	for (uint32_t j = 0; j < tr->len; j++)
		for (uint32_t i = 0; i < j; i++) {
			const struct dh_event *x = &tr->at[i], *y = &tr->at[j];
			bool barrier = x->op == DH_BARRIER_ENTER &&
				       y->op == DH_BARRIER_LEAVE &&
				       x->target == y->target && episode[i] == episode[j];
			if (barrier || is_edge(x, y))
				add_before(b, j, i);
		}
}

/* ---- comparison ---- */

struct found {
	const struct trace *trace;
	const struct before *before;
	bool second[EVENTS]; /* by event: reported as the second of a pair */
	uint32_t first[EVENTS];
};

static bool conflict(const struct dh_event *i, const struct dh_event *j)
{
	return dh_op_is_access(i->op) && dh_op_is_access(j->op) &&
	       i->target == j->target && i->thread != j->thread;
}

/* Every pair that is reported must be unordered, in one life of the variable. */
static void on_race(void *context, struct dh_engine *e, const struct dh_race *race)
{
	struct found *f = context;
	uint32_t i = (uint32_t)race->first.index, j = (uint32_t)race->second.index;
	const struct dh_event *x = &f->trace->at[i], *y = &f->trace->at[j];
	assert_true(i < j && conflict(x, y) && !f->before->at[j][i]);
	assert_int_equal(race->first_write, x->op == DH_WRITE);
	assert_int_equal(race->second_write, y->op == DH_WRITE);
	assert_int_equal(race->var, y->target);
	if (e->ops == &dh_engine_goldilocks)
		assert_true(race->first_write || race->second_write);
	for (uint32_t k = i; k < j; k++)
		assert_false(f->trace->at[k].op == DH_ALLOC &&
			     f->trace->at[k].target == y->target);
	f->second[j] = true;
	f->first[j] = i;
}

static void run(const struct dh_engine_ops *ops, size_t limit, struct found *f)
{
	memset(f->second, 0, sizeof f->second);
	struct dh_stream *s =
	    dh_stream_new(&(struct dh_stream_config){.on_race = on_race, .context = f});
	struct dh_engine *e = dh_stream_add(s, ops);
	if (limit)
		dh_goldi_set_limit(e, limit);
	for (uint32_t n = 0; n < f->trace->len; n++)
		dh_stream_feed(s, &f->trace->at[n]);
	dh_stream_free(s);
}

/* In each life of each variable the earliest access that races must have been found.
 * Returns how many there are; *calm counts accesses that come after one of another
 * thread and yet do not race. */
static unsigned check_first_races(const struct found *f, unsigned *calm)
{
	const struct trace *tr = f->trace;
	uint32_t life[VARS] = {0};
	bool done[VARS] = {false};
	unsigned races = 0;
	for (uint32_t j = 0; j < tr->len; j++) {
		const struct dh_event *y = &tr->at[j];
		if (y->op == DH_ALLOC) {
			life[y->target] = j;
			done[y->target] = false;
		}
		if (!dh_op_is_access(y->op) || done[y->target])
			continue;
		bool racy = false, shared = false;
		for (uint32_t i = life[y->target]; i < j; i++) {
			if (!conflict(&tr->at[i], y) ||
			    (tr->at[i].op == DH_READ && y->op == DH_READ))
				continue;
			shared = true;
			racy |= !f->before->at[j][i];
		}
		assert_int_equal(f->second[j], racy);
		done[y->target] = racy;
		races += racy;
		*calm += shared && !racy;
	}
	return races;
}

/* Exactly the accesses whose predecessor on the variable is not ordered before them. */
static unsigned check_paper(const struct found *f)
{
	const struct trace *tr = f->trace;
	int last[VARS] = {-1, -1, -1, -1};
	unsigned races = 0;
	for (uint32_t j = 0; j < tr->len; j++) {
		const struct dh_event *y = &tr->at[j];
		if (y->op == DH_ALLOC)
			last[y->target] = -1;
		if (!dh_op_is_access(y->op))
			continue;
		int i = last[y->target];
		bool racy = i >= 0 && !f->before->at[j][i];
		assert_int_equal(f->second[j], racy);
		if (racy)
			assert_int_equal(f->first[j], i);
		last[y->target] = (int)j;
		races += racy;
	}
	return races;
}

static void test_against_naive(void **state)
{
	(void)state;
	static const size_t limits[] = {8, 2, 5, 0, 8, 31};
	static struct trace tr;
	static struct before b;
	unsigned races = 0, calm = 0, paper_races = 0;
	for (uint32_t n = 0; n < TRACES; n++) {
		struct found f = {.trace = &tr, .before = &b};
		size_t limit = limits[n % DH_ARRAY_LEN(limits)];
		make_trace(&tr, n);
		make_before(&tr, &b);
		run(&dh_engine_goldilocks, limit, &f);
		races += check_first_races(&f, &calm);
		run(&dh_engine_goldilocks_paper, limit, &f);
		paper_races += check_paper(&f);
	}
	/* The traces must be worth comparing. */
	assert_true(races > 2 * TRACES);
	assert_true(calm > TRACES);
	assert_true(paper_races > 2 * TRACES);
}

/* ---- the matrix ---- */

enum { ROWS = 150, COLUMNS = 200 };

static bool plain[ROWS][COLUMNS];

static void matrix_agrees(const struct dh_goldi_matrix *m, uint32_t columns)
{
	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = 0; c < columns; c++)
			assert_int_equal(dh_goldi_matrix_has(m, r, c), plain[r][c]);
}

static bool same_column(uint32_t a, uint32_t b)
{
	for (uint32_t r = 0; r < ROWS; r++)
		if (plain[r][a] != plain[r][b])
			return false;
	return true;
}

/* Merges both forms; returns how many columns are left. */
static uint32_t merge_plain(uint32_t columns, const uint32_t *into)
{
	uint32_t kept = 0;
	for (uint32_t c = 0; c < columns; c++) {
		if (into[c] == DH_GOLDI_DROP)
			continue;
		uint32_t same = 0;
		while (same < kept && !same_column(same, c))
			same++;
		assert_int_equal(into[c], same);
		if (same == kept) {
			for (uint32_t r = 0; r < ROWS; r++)
				plain[r][kept] = plain[r][c];
			kept++;
		}
	}
	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = kept; c < COLUMNS; c++)
			plain[r][c] = false;
	return kept;
}

static void test_matrix(void **state)
{
	(void)state;
	struct dh_goldi_matrix m = {0};
	uint32_t into[COLUMNS];
	rng_state = 7;
	memset(plain, 0, sizeof plain);
	for (int round = 0; round < 20; round++) {
		while (m.columns < 130 + below(COLUMNS - 130)) {
			uint32_t r = below(4) * 49, c = m.columns++;
			dh_goldi_matrix_set(&m, r, c);
			plain[r][c] = true;
		}
		for (int i = 0; i < 60; i++) {
			uint32_t from = below(ROWS), to = below(ROWS);
			dh_goldi_matrix_spread(&m, from, to);
			for (uint32_t c = 0; c < m.columns; c++)
				plain[to][c] |= plain[from][c];
		}
		uint32_t gone = below(ROWS);
		dh_goldi_matrix_clear(&m, gone);
		memset(plain[gone], 0, sizeof plain[gone]);
		matrix_agrees(&m, m.columns);
		for (uint32_t c = 0; c < m.columns; c++)
			into[c] = below(5) ? 0 : DH_GOLDI_DROP;
		uint32_t columns = m.columns;
		dh_goldi_matrix_merge(&m, into);
		assert_int_equal(m.columns, merge_plain(columns, into));
		matrix_agrees(&m, COLUMNS);
	}
	dh_goldi_matrix_free(&m);
}

/* ---- many variables, each under a lock of its own ---- */

enum { CROWD = 16, OWN = 8000, TURNS = 120000, IDLE_VAR = OWN, LATE_VAR };

static void feed(struct dh_stream *s, uint32_t thread, enum dh_op op, uint32_t target)
{
	dh_stream_feed(s, &(struct dh_event){.index = s->events,
					     .thread = thread,
					     .target = target,
					     .site = target + 1,
					     .op = (uint8_t)op});
}

/* Locksets are then many and distinct: passes are cut short and the list grows beyond
 * its usual limit. Thread 0 collects from all others at the end. */
static void test_crowded(void **state)
{
	(void)state;
	struct dh_stream *s = dh_stream_new(&(struct dh_stream_config){0});
	struct dh_engine *e = dh_stream_add(s, &dh_engine_goldilocks);
	const struct dh_counter *list = e->ops->counters;
	rng_state = 11;
	feed(s, CROWD, DH_WRITE, IDLE_VAR); /* by a thread that does nothing else */
	for (uint32_t t = 1; t < CROWD; t++)
		feed(s, 0, DH_FORK, t);
	for (int i = 0; i < TURNS; i++) {
		uint32_t t = below(CROWD), x = below(OWN);
		feed(s, t, DH_ACQUIRE, x);
		feed(s, t, below(2) ? DH_WRITE : DH_READ, x);
		feed(s, t, DH_RELEASE, x);
	}
	assert_int_equal(e->races, 0);
	assert_true(dh_counter_value(e, list, "infos_aged") > 1000);
	assert_true(dh_counter_value(e, list, "list_peak") > 1 << 16);
	for (uint32_t t = 1; t < CROWD; t++)
		feed(s, t, DH_SEND, 0);
	feed(s, 5, DH_WRITE, LATE_VAR);
	feed(s, 0, DH_RECEIVE, 0);
	uint64_t before = dh_counter_value(e, list, "collections");
	for (uint32_t x = 0; x < OWN; x++) {
		feed(s, 2, DH_SEND, 1);
		feed(s, 0, DH_WRITE, x);
	}
	assert_int_equal(e->races, 0);
	assert_true(dh_counter_value(e, list, "collections") > before + 1);
	feed(s, 0, DH_WRITE, LATE_VAR);
	feed(s, 0, DH_WRITE, IDLE_VAR);
	assert_int_equal(e->races, 2);
	for (uint32_t x = 0; x < OWN; x++)
		feed(s, 1, DH_READ, x);
	assert_int_equal(e->races, 2 + OWN);
	dh_stream_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_against_naive),
	    cmocka_unit_test(test_matrix),
	    cmocka_unit_test(test_crowded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
