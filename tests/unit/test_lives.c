/* SPDX-License-Identifier: MIT */
/*
 * What a running program asks of the stream and its engines beyond a trace's events: a
 * variable that is split begins with the history of the whole (dh_stream_copy), the
 * number of a lock or message is another one's later (dh_stream_forget), and threads end
 * before they are joined (dh_stream_end). Random events, with fixed seeds, against a
 * stream that has separate variables and numbers from the start, or against another
 * engine: the findings must be the same. And memory must not grow with what has been.
 */
#include "engines/goldi.h"
#include "event/stream.h"
#include "registry/registry.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 400, STEPS = 40, TURN = 6, THREADS = 3, WHOLE = 0, PART = 1 };

struct found {
	char text[8192];
};

/* What is found on the part, by order of the stream's own index of accesses. */
static void on_race(void *context, struct dh_engine *e, const struct dh_race *r)
{
	(void)e;
	struct found *f = context;
	size_t at = strlen(f->text);
	if (r->var == PART && r->second.index >= TURN)
		snprintf(f->text + at, sizeof f->text - at, "%d:%u-%u ", r->grade,
			 r->has_first ? r->first.site : 0, r->second.site);
}

static uint32_t next(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) % below;
}

struct run {
	struct dh_stream *stream;
	struct found found;
	bool reuse; /* copies, and uses numbers again; else all are separate */
	bool held[THREADS];
	bool taken;
	bool locks; /* their numbers are used again; not where sets of them are kept,
		       which know a lock by its number (runtime/host/objects.h) */
};

static void feed(struct run *r, uint64_t index, uint32_t t, enum dh_op op,
		 uint32_t target)
{
	struct dh_event ev = {
	    .index = index, .thread = t, .target = target, .op = (uint8_t)op};
	ev.site = (uint32_t)index + 1;
	dh_stream_feed(r->stream, &ev);
}

static void access(struct run *r, uint64_t i, uint32_t t, enum dh_op op)
{
	if (i >= TURN) {
		feed(r, i, t, op, PART);
		return;
	}
	feed(r, i, t, op, WHOLE);
	if (!r->reuse)
		feed(r, i, t, op, PART);
}

/* At the turn the part is split off, and the lock and the message are other ones. */
static void turn(struct run *r)
{
	if (!r->reuse)
		return;
	dh_stream_copy(r->stream, PART, WHOLE);
	if (r->locks)
		dh_stream_forget(r->stream, DH_NAME_LOCK, 0);
	dh_stream_forget(r->stream, DH_NAME_MESSAGE, 0);
}

static void step(struct run *r, uint64_t i, uint64_t *seed)
{
	uint32_t t = next(seed, THREADS), what = next(seed, 8);
	bool later = i >= TURN && !r->reuse;
	uint32_t message = later, lock = later && r->locks;
	if (what < 2) {
		access(r, i, t, DH_READ);
	} else if (what < 4) {
		access(r, i, t, DH_WRITE);
	} else if (what == 4) {
		feed(r, i, t, DH_SEND, message);
	} else if (what == 5) {
		feed(r, i, t, DH_RECEIVE, message);
	} else if (r->held[t]) {
		feed(r, i, t, DH_RELEASE, lock);
		r->held[t] = r->taken = false;
	} else if (!r->taken) {
		feed(r, i, t, DH_ACQUIRE, lock);
		r->held[t] = r->taken = true;
	}
}

/* Nobody has the lock at the turn, so that the number can be another one's. */
static void let_go(struct run *r)
{
	for (uint32_t t = 0; t < THREADS; t++)
		if (r->held[t]) {
			feed(r, TURN - 1, t, DH_RELEASE, 0);
			r->held[t] = false;
		}
	r->taken = false;
}

static void play(struct run *r, const struct dh_engine_ops *ops, uint64_t seed)
{
	struct dh_stream_config config = {.on_race = on_race, .context = &r->found};
	r->stream = dh_stream_new(&config);
	r->locks = !(ops->needs & DH_NEEDS_LOCKSETS);
	dh_stream_add(r->stream, ops);
	for (uint64_t i = 0; i < STEPS; i++) {
		if (i == TURN) {
			let_go(r);
			turn(r);
		}
		step(r, i, &seed);
	}
	dh_stream_free(r->stream);
}

static void same_findings(void **state)
{
	(void)state;
	static const char *const names[] = {
	    "djit",   "lockset",    "multirace",	"eraser",
	    "patent", "goldilocks", "goldilocks-paper", "racetrack-basic"};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const struct dh_engine_ops *ops = dh_engine_find(names[n]);
		size_t found = 0;
		for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
			static struct run split, separate;
			split = (struct run){.reuse = true};
			separate = (struct run){.reuse = false};
			play(&split, ops, seed);
			play(&separate, ops, seed);
			assert_string_equal(split.found.text, separate.found.text);
			found += strlen(split.found.text);
		}
		assert_true(found > 0);
	}
}

/* A slot is used again only by a thread whose creator knows all that was done in it. */
static void ended_unknown(void **state)
{
	(void)state;
	struct run r = {.reuse = false};
	struct dh_stream_config config = {.on_race = on_race, .context = &r.found};
	r.stream = dh_stream_new(&config);
	dh_stream_add(r.stream, dh_engine_find("djit"));
	feed(&r, 0, 0, DH_FORK, 1);
	feed(&r, 40, 1, DH_WRITE, PART);
	feed(&r, 41, 1, DH_SEND, 0);
	dh_stream_end(r.stream, 1, true);
	feed(&r, 42, 0, DH_FORK, 2);
	feed(&r, 43, 2, DH_WRITE, PART);
	assert_string_equal(r.found.text, "0:41-44 ");
	feed(&r, 44, 2, DH_SEND, 1);
	dh_stream_end(r.stream, 2, true);
	feed(&r, 45, 0, DH_RECEIVE, 1);
	feed(&r, 46, 0, DH_FORK, 3);
	feed(&r, 47, 3, DH_READ, PART);
	assert_int_equal(r.stream->order.slots_reused, 1);
	/* Thread 1's write is still unordered; thread 2's is not. */
	assert_string_equal(r.found.text, "0:41-44 0:41-48 ");
	dh_stream_free(r.stream);
}

/* ---- many lives ---- */

enum { VARS = 8, LIVE = 4, EVENTS = 3000 };

/* Threads that come and go, some joined, some not. */
struct town {
	struct dh_stream *stream;
	uint64_t
	    first[VARS]; /* second access of the first race since the last alloc; or 0 */
	uint64_t found;	 /* what was there before, all in one number */
	uint32_t races;
	uint32_t live[LIVE]; /* ids + 1 */
	uint32_t count;	     /* threads so far */
	uint32_t sites;	     /* 0: nothing is a repeat */
};

static void note_first(void *context, struct dh_engine *e, const struct dh_race *r)
{
	(void)e;
	struct town *t = context;
	if (!t->first[r->var])
		t->first[r->var] = r->second.index;
}

static void tell(struct town *t, uint64_t i, uint32_t id, enum dh_op op, uint32_t target)
{
	struct dh_event ev = {
	    .index = i, .thread = id, .target = target, .op = (uint8_t)op};
	ev.site = (t->sites ? target % t->sites : (uint32_t)i) + 1;
	dh_stream_feed(t->stream, &ev);
}

static void fork_one(struct town *t, uint64_t i, uint32_t id, uint32_t place)
{
	uint32_t child = t->count++;
	tell(t, i, id, DH_FORK, child);
	t->live[place] = child + 1;
}

/* The thread at this place ends, and is joined by another one, or by nobody ever. */
static void end_one(struct town *t, uint64_t i, uint32_t place, uint32_t by, bool join)
{
	uint32_t id = t->live[place] - 1;
	tell(t, i, id, DH_SEND, 0);
	dh_stream_end(t->stream, id, !join);
	if (join) {
		tell(t, i, by, DH_JOIN, id);
		dh_stream_end(t->stream, id, true);
	}
	t->live[place] = 0;
}

static void write_locked(struct town *t, uint64_t i, uint32_t id, uint32_t var)
{
	tell(t, i, id, DH_ACQUIRE, var);
	tell(t, i, id, DH_WRITE, var);
	tell(t, i, id, DH_RELEASE, var);
}

/* So that there are first races all the time. */
static void start_over(struct town *t, uint64_t i, uint32_t id, uint32_t var)
{
	tell(t, i, id, DH_ALLOC, var);
	t->found = t->found * 31 + t->first[var];
	t->races += t->first[var] != 0;
	t->first[var] = 0;
}

static void live_on(struct town *t, uint64_t i, uint64_t *seed)
{
	uint32_t place = next(seed, LIVE), other = next(seed, LIVE),
		 what = next(seed, 13);
	uint32_t target = next(seed, VARS), id = t->live[place] - 1;
	if (!t->live[place])
		return;
	if (what < 5)
		tell(t, i, id, what < 3 ? DH_READ : DH_WRITE, target);
	else if (what < 7)
		tell(t, i, id, DH_SEND, 1 + target % 3);
	else if (what < 9)
		tell(t, i, id, DH_RECEIVE, 1 + target % 3);
	else if (what == 9)
		start_over(t, i, id, target);
	else if (what < 12)
		write_locked(t, i, id, target);
	else if (!t->live[other])
		fork_one(t, i, id, other);
	else if (other != place)
		end_one(t, i, other, id, next(seed, 2));
}

static struct dh_engine *begin(struct town *t, const char *engine)
{
	struct dh_stream_config config = {.on_race = note_first, .context = t};
	t->stream = dh_stream_new(&config);
	t->live[0] = t->count = 1;
	return dh_stream_add(t->stream, dh_engine_find(engine));
}

static void live_behind(struct town *t, const char *engine, uint64_t seed,
			const char *filter)
{
	begin(t, engine);
	dh_stream_set_filter(t->stream, dh_filter_find(filter))->limit = 1000;
	for (uint64_t i = 1; i <= EVENTS; i++)
		live_on(t, i, &seed);
}

static void live_long(struct town *t, const char *engine, uint64_t seed, bool small)
{
	struct dh_engine *e = begin(t, engine);
	if (small)
		dh_goldi_set_limit(e, 8);
	for (uint64_t i = 1; i <= EVENTS; i++)
		live_on(t, i, &seed);
}

/* The elements of threads that are gone become those of others, who must not be taken for
 * them. */
static void threads_come_and_go(void **state)
{
	(void)state;
	uint32_t races = 0, threads = 0;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		static struct town djit, goldi;
		djit = goldi = (struct town){0};
		live_long(&djit, "djit", seed, false);
		live_long(&goldi, "goldilocks", seed, seed % 2);
		const struct dh_goldi_engine *g = (void *)goldi.stream->engines.at[0];
		assert_int_equal(goldi.found, djit.found);
		races += goldi.races;
		threads += goldi.count;

		if (seed % 2)
			assert_true(g->core.elements.count < 24);
		dh_stream_free(djit.stream);
		dh_stream_free(goldi.stream);
	}
	assert_true(races > 1000 && threads > 1000);
}

/* One thread after another does something, ends and is joined. */
static void nothing_stays_of_threads(void **state)
{
	(void)state;
	enum { GENERATIONS = 20000, BYTES_EACH = 2 };
	static const char *const names[] = {"djit", "multirace", "goldilocks"};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		struct dh_stream_config config = {0};
		struct town t = {
		    .stream = dh_stream_new(&config), .live = {1}, .count = 1};
		struct dh_engine *e = dh_stream_add(t.stream, dh_engine_find(names[n]));
		size_t before = 0;
		if (n == 2)
			dh_goldi_set_limit(e, 64);
		for (uint64_t i = 0; i < 2 * GENERATIONS; i++) {
			if (i == GENERATIONS)
				before = dh_mem_in_use();
			fork_one(&t, i, 0, 1);
			write_locked(&t, i, t.live[1] - 1, i % VARS);
			end_one(&t, i, 1, 0, true);
		}
		assert_true(dh_mem_in_use() < before + GENERATIONS * BYTES_EACH);
		dh_stream_free(t.stream);
	}
}

/* Filters know threads by number, also those that are gone. */
static void threads_behind_filters(void **state)
{
	(void)state;
	static const char *const names[] = {"tree", "tree-strict", "span"};
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		uint64_t dropped = 0;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			static struct town t;
			t = (struct town){.sites = 2};
			live_behind(&t, "djit", seed, names[n]);
			dropped += t.stream->filter->dropped;
			dh_stream_free(t.stream);
		}
		assert_true(dropped > 0);
	}
}

/* A server: sessions under a few locks that stay, connections with a lock each that go.
 * What is kept depends on how many there are at a time, not on how many there were. */
static void locks_come_and_go(void **state)
{
	(void)state;
	enum { THREADS_TOO = 4, STRIPES = 64, SESSIONS = 20000, CONNECTIONS = 20000 };
	enum { USES = 10, FIRST = STRIPES + 1, TURNS = 1000 };
	struct dh_stream_config config = {0};
	struct town t = {.stream = dh_stream_new(&config)};
	const struct dh_goldi_engine *g =
	    (void *)dh_stream_add(t.stream, dh_engine_find("goldilocks"));
	uint64_t seed = 1, i = 0;
	for (uint32_t c = 0; c < CONNECTIONS; c++) {
		uint32_t lock = FIRST + c % TURNS;
		for (int u = 0; u < USES; u++) {
			uint32_t id = next(&seed, THREADS_TOO), v = next(&seed, SESSIONS);
			tell(&t, i++, id, DH_ACQUIRE, v % STRIPES);
			tell(&t, i++, id, DH_WRITE, v);
			tell(&t, i++, id, DH_RELEASE, v % STRIPES);
			tell(&t, i++, id, DH_ACQUIRE, lock);
			tell(&t, i++, id, DH_RELEASE, lock);
		}
		dh_stream_forget(t.stream, DH_NAME_LOCK, lock);
	}
	assert_true(g->core.list_peak <= DH_GOLDI_LIMIT);
	assert_true(g->core.elements.count < 4 * DH_GOLDI_LIMIT / USES);
	dh_stream_free(t.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same_findings),
	    cmocka_unit_test(ended_unknown),
	    cmocka_unit_test(threads_come_and_go),
	    cmocka_unit_test(nothing_stays_of_threads),
	    cmocka_unit_test(threads_behind_filters),
	    cmocka_unit_test(locks_come_and_go),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
