/* SPDX-License-Identifier: MIT */
/*
 * What a running program asks of the stream and its engines beyond a trace's events: a
 * variable that is split begins with the history of the whole (dh_stream_copy), the
 * number of a lock or message is another one's later (dh_stream_forget), and threads end
 * before they are joined (dh_stream_end). Random events, with fixed seeds, against a
 * stream that has separate variables and numbers from the start: the findings must be the
 * same.
 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same_findings),
	    cmocka_unit_test(ended_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
