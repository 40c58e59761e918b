/* SPDX-License-Identifier: MIT */
/* The Goldilocks engines on small scenes: the paper's example, each rule, the short
 * circuits, reclamation; and one long run. */
#include "scene.h"
#include "engines/goldi.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_goldilocks;
extern const struct dh_engine_ops dh_engine_goldilocks_paper;
extern const struct dh_engine_ops dh_engine_eraser;

static const struct dh_engine_ops *const both[] = {&dh_engine_goldilocks,
						   &dh_engine_goldilocks_paper};

/* What LS(x) contains now: of the threads T1..T9, locks L1..L9, messages m and volatiles
 * v that the scene knows, as "T1 L1 T2". */
static const char *lockset(struct scene *s, const char *var)
{
	static const enum dh_name_kind kinds[] = {DH_NAME_THREAD, DH_NAME_LOCK,
						  DH_NAME_MESSAGE, DH_NAME_VOLATILE};
	static char text[256];
	void *cell = scene_cell(s, var);
	text[0] = 0;
	for (size_t k = 0; k < DH_ARRAY_LEN(kinds); k++)
		for (uint32_t i = 0; i < s->name_count[kinds[k]]; i++)
			if (dh_goldi_lockset_has(s->engine, cell, kinds[k], i)) {
				strcat(text, text[0] ? " " : "");
				strcat(text, s->names[kinds[k]][i]);
			}
	return text;
}

/* Plays the lines on goldilocks, at a limit that reclaims all the time if asked to, and
 * returns how many races there were; the first is in *race. */
static unsigned races_of(const char *lines, size_t limit, struct dh_race *race)
{
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	if (limit)
		dh_goldi_set_limit(s.engine, limit);
	scene_play(&s, lines);
	unsigned count = s.race_count;
	if (race)
		*race = s.races[0];
	scene_close(&s);
	return count;
}

static void expect_race(const char *lines, uint64_t first, uint64_t second)
{
	static const size_t limits[] = {0, 2, 3, 8};
	for (size_t i = 0; i < DH_ARRAY_LEN(limits); i++) {
		struct dh_race r;
		assert_int_equal(races_of(lines, limits[i], &r), 1);
		assert_int_equal(r.grade, DH_OBSERVED);
		assert_int_equal(r.first.index, first);
		assert_int_equal(r.second.index, second);
	}
}

static void expect_none(const char *lines)
{
	static const size_t limits[] = {0, 2, 3, 8};
	for (size_t i = 0; i < DH_ARRAY_LEN(limits); i++)
		assert_int_equal(races_of(lines, limits[i], NULL), 0);
}

/* ---- section 2.3 ---- */

static const struct {
	const char *lines, *set;
} figure2[] = {
    {"T1|alloc(o1.x)|\n", ""},
    {"T1|acq(L1)|\n", ""},
    {"T1|r(o1.x)|\n T1|w(o1.x)|\n", "T1"},
    {"T1|rel(L1)|\n", "T1 L1"},
    {"T2|acq(L1)|\n", "T1 T2 L1"},
    {"T2|acq(L2)|\n", "T1 T2 L1"},
    {"T2|rel(L1)|\n", "T1 T2 L1"},
    {"T2|rel(L2)|\n", "T1 T2 L1 L2"},
    {"T3|acq(L2)|\n", "T1 T2 T3 L1 L2"},
    {"T3|r(o1.x)|\n T3|w(o1.x)|\n", "T3"},
    {"T3|rel(L2)|\n", "T3 L2"},
};

static void play_figure2(const struct dh_engine_ops *ops, size_t limit, bool inspect)
{
	struct scene s;
	scene_open(&s, ops, NULL);
	if (limit)
		dh_goldi_set_limit(s.engine, limit);
	for (size_t i = 0; i < DH_ARRAY_LEN(figure2); i++) {
		scene_play(&s, figure2[i].lines);
		if (inspect)
			assert_string_equal(lockset(&s, "o1.x"), figure2[i].set);
	}
	assert_string_equal(lockset(&s, "o1.x"), "T3 L2");
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* With and without looking on: looking on leaves partly evaluated locksets behind. */
static void test_figure2(void **state)
{
	(void)state;
	for (size_t i = 0; i < DH_ARRAY_LEN(both); i++)
		for (size_t limit = 0; limit < 6; limit++) {
			if (limit == 1)
				continue;
			play_figure2(both[i], limit, true);
			play_figure2(both[i], limit, false);
		}
}

/* The box changes its lock, like in section 2.3, after two threads used it under L1. */
static void test_eraser_would_warn(void **state)
{
	(void)state;
	const char *lines = "T1|acq(L1)|\n T1|w(x)|\n T1|rel(L1)|\n"
			    "T4|acq(L1)|\n T4|w(x)|\n T4|rel(L1)|\n"
			    "T2|acq(L1)|\n T2|acq(L2)|\n T2|rel(L1)|\n T2|rel(L2)|\n"
			    "T3|acq(L2)|\n T3|w(x)|\n T3|rel(L2)|\n";
	struct scene s;
	scene_open(&s, &dh_engine_eraser, NULL);
	scene_play(&s, lines);
	assert_true(scene_racy(&s, "x"));
	scene_close(&s);
	expect_none(lines);
}

/* ---- short circuits ---- */

/* The figure of the paper keeps the alock where the owner check succeeds. */
static void test_alock_is_of_the_last_access(void **state)
{
	(void)state;
	expect_race("T1|acq(L)|\n T1|w(x)|\n T1|rel(L)|\n T1|w(x)|\n"
		    "T2|acq(L)|\n T2|w(x)|\n",
		    3, 5);
	expect_race("T1|acq(L)|\n T1|r(x)|\n T1|rel(L)|\n T1|r(x)|\n"
		    "T2|acq(L)|\n T2|w(x)|\n",
		    3, 5);
}

static void test_alock_modes(void **state)
{
	(void)state;
	/* Both in read mode protects nothing. */
	expect_race("T1|rdacq(L)|\n T1|w(x)|\n T1|rdrel(L)|\n"
		    "T2|rdacq(L)|\n T2|w(x)|\n",
		    1, 4);
	expect_race("T1|rdacq(L)|\n T1|r(x)|\n T1|rdrel(L)|\n"
		    "T2|rdacq(L)|\n T2|w(x)|\n",
		    1, 4);
	expect_none("T1|rdacq(L)|\n T1|r(x)|\n T1|rdrel(L)|\n"
		    "T2|acq(L)|\n T2|w(x)|\n T2|rel(L)|\n"
		    "T3|rdacq(L)|\n T3|r(x)|\n");
	/* A read under write mode and one under both, then write mode elsewhere. */
	expect_none("T1|acq(L)|\n T1|r(x)|\n T1|rdacq(L)|\n T1|r(x)|\n T1|rel(L)|\n"
		    "T1|r(x)|\n T1|rdrel(L)|\n T2|acq(L)|\n T2|w(x)|\n");
}

static void test_counters(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	scene_play(&s, "T1|acq(L)|\n T1|w(x)|\n T1|w(x)|\n T1|r(x)|\n T1|rel(L)|\n");
	assert_int_equal(scene_counter(&s, "accesses"), 3);
	assert_int_equal(scene_counter(&s, "owner"), 2);
	scene_play(&s, "T2|acq(L)|\n T2|w(x)|\n");
	assert_int_equal(scene_counter(&s, "alock"), 1);
	assert_int_equal(scene_counter(&s, "cells_appended"), 2);
	scene_play(&s, "T2|w(y)|\n T2|rel(L)|\n T3|acq(L)|\n T3|rel(L)|\n T3|r(y)|\n");
	assert_int_equal(scene_counter(&s, "full_walks"), 1);
	assert_int_equal(scene_counter(&s, "cells_walked"), 2);
	/* Another frame of T3, and another variable of T2's frame: proven before. */
	scene_play(&s, "T3|acq(M)|\n T3|rel(M)|\n T3|r(y)|\n T3|r(x)|\n");
	assert_int_equal(scene_counter(&s, "proven"), 2);
	assert_int_equal(scene_counter(&s, "full_walks"), 1);
	assert_int_equal(scene_counter(&s, "list_peak"), 6);
	assert_int_equal(s.race_count, 0);
	/* T4 has learned nothing: no cell is looked at. */
	scene_play(&s, "T4|w(y)|\n");
	assert_int_equal(scene_counter(&s, "refuted"), 2); /* T2's write, T3's read */
	assert_int_equal(s.race_count, 2);
	scene_close(&s);
}

static void test_repeats_grow_nothing(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	scene_play(&s, "T1|w(x)|\n T2|r(y)|\n T1|r(y)|\n T2|r(y)|\n");
	size_t before = dh_mem_in_use();
	for (int i = 0; i < 1000; i++)
		scene_play(&s, "T1|w(x)|\n T1|r(x)|\n T1|r(y)|\n T2|r(y)|\n");
	assert_int_equal(dh_mem_in_use(), before);
	assert_int_equal(scene_counter(&s, "cells_appended"), 0);
	scene_close(&s);
}

/* A thread that takes its own lock again learns nothing from it. */
static void test_own_lock_again(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	scene_play(&s, "T1|acq(L)|\n T1|rel(L)|\n T1|acq(L)|\n T1|rel(L)|\n");
	assert_int_equal(scene_counter(&s, "cells_appended"), 2);
	scene_close(&s);
	/* A reader came between. */
	expect_none("T1|acq(L)|\n T1|rel(L)|\n T2|rdacq(L)|\n T2|r(x)|\n T2|rdrel(L)|\n"
		    "T1|acq(L)|\n T1|w(x)|\n");
	expect_none("T2|r(x)|\n T1|acq(L)|\n T1|rel(L)|\n T2|rdacq(L)|\n T2|rdrel(L)|\n"
		    "T1|acq(L)|\n T1|rel(L)|\n T1|w(x)|\n");
}

/* ---- rules ---- */

static void test_reader_writer_locks(void **state)
{
	(void)state;
	expect_none("T1|w(x)|\n T1|acq(L)|\n T1|rel(L)|\n"
		    "T2|rdacq(L)|\n T2|rdrel(L)|\n T2|w(x)|\n");
	expect_none("T1|w(x)|\n T1|rdacq(L)|\n T1|rdrel(L)|\n"
		    "T2|acq(L)|\n T2|rel(L)|\n T2|w(x)|\n");
	expect_race("T1|w(x)|\n T1|rdacq(L)|\n T1|rdrel(L)|\n"
		    "T2|rdacq(L)|\n T2|rdrel(L)|\n T2|w(x)|\n",
		    0, 5);
	/* A writer between two readers passes it on. */
	expect_none("T1|w(x)|\n T1|rdacq(L)|\n T1|rdrel(L)|\n T3|acq(L)|\n T3|rel(L)|\n"
		    "T2|rdacq(L)|\n T2|w(x)|\n");
}

static void test_threads(void **state)
{
	(void)state;
	expect_none("T1|w(x)|\n T1|fork(T2)|\n T2|w(x)|\n T1|join(T2)|\n T1|w(x)|\n");
	expect_race("T1|fork(T2)|\n T1|w(x)|\n T2|w(x)|\n", 1, 2);
	expect_race("T1|fork(T2)|\n T2|w(x)|\n T1|w(x)|\n T1|join(T2)|\n", 1, 2);
	expect_none("T1|fork(T2)|\n T1|fork(T3)|\n T2|w(x)|\n T1|join(T2)|\n"
		    "T3|join(T2)|\n T3|w(x)|\n");
	expect_none("T1|join(T2)|\n T1|w(x)|\n");
}

static void test_channels(void **state)
{
	(void)state;
	expect_none("T1|w(x)|\n T1|snd(m)|\n T3|snd(m)|\n T2|rcv(m)|\n T2|w(x)|\n");
	expect_race("T1|w(x)|\n T2|rcv(m)|\n T1|snd(m)|\n T2|w(x)|\n", 0, 3);
	expect_none("T1|w(x)|\n T1|vw(v)|\n T3|vw(v)|\n T2|vr(v)|\n T2|w(x)|\n");
	expect_race("T1|w(x)|\n T1|vw(v)|\n T2|vw(v)|\n T2|w(x)|\n", 0, 3);
	expect_race("T1|w(x)|\n T1|vr(v)|\n T2|vr(v)|\n T2|w(x)|\n", 0, 3);
}

static void test_barriers(void **state)
{
	(void)state;
	expect_none("T1|w(x)|\n T1|benter(b)|\n T2|benter(b)|\n T2|bleave(b)|\n"
		    "T1|bleave(b)|\n T2|w(x)|\n");
	expect_race("T1|w(x)|\n T2|benter(b)|\n T2|bleave(b)|\n T1|benter(b)|\n"
		    "T1|bleave(b)|\n T2|w(x)|\n",
		    0, 5);
	/* T3 leaves late: it belongs to the first episode, not to that which T1 and T2
	 * are in when it leaves. */
	const char *late = "T1|benter(b)|\n T2|benter(b)|\n T3|benter(b)|\n"
			   "T1|bleave(b)|\n T1|w(x)|\n T1|benter(b)|\n"
			   "T2|bleave(b)|\n T2|benter(b)|\n T3|bleave(b)|\n";
	char lines[512];
	strcpy(lines, late);
	strcat(lines, "T3|w(x)|\n");
	expect_race(lines, 4, 9);
	/* T2 is in the second one. */
	strcpy(lines, late);
	strcat(lines, "T2|bleave(b)|\n T2|w(x)|\n");
	expect_none(lines);
	/* Who entered none leaves the current one. */
	expect_none("T1|w(x)|\n T1|benter(b)|\n T2|bleave(b)|\n T2|w(x)|\n");
	expect_race("T2|bleave(b)|\n T1|w(x)|\n T1|benter(b)|\n T2|w(x)|\n", 1, 3);
}

/* Many episodes: their numbers are used again, and mean the new one. */
static void test_barrier_numbers(void **state)
{
	(void)state;
	for (size_t limit = 2; limit < 40; limit += 5) {
		struct scene s;
		scene_open(&s, &dh_engine_goldilocks, NULL);
		dh_goldi_set_limit(s.engine, limit);
		scene_play(&s, "T3|w(z)|\n T3|benter(b)|\n");
		for (int i = 0; i < 100; i++)
			scene_play(&s, "T1|w(x)|\n T1|benter(c)|\n T2|benter(c)|\n"
				       "T2|bleave(c)|\n T2|r(x)|\n T1|bleave(c)|\n"
				       "T1|r(x)|\n T1|benter(c)|\n T2|benter(c)|\n"
				       "T1|bleave(c)|\n T2|bleave(c)|\n");
		assert_int_equal(s.race_count, 0);
		struct dh_goldi *g = &((struct dh_goldi_engine *)s.engine)->core;
		assert_in_range(g->elements.count, 5, 5 + limit + 4);
		scene_play(&s, "T1|w(z)|\n");
		assert_int_equal(s.race_count, 1);
		scene_play(&s, "T2|bleave(b)|\n T2|alloc(y)|\n T3|r(y)|\n T2|r(z)|\n");
		assert_int_equal(s.race_count, 2); /* with T1's write, not with T3's */
		scene_close(&s);
	}
}

static void pad(struct scene *s, int cells)
{
	for (int i = 0; i < cells; i++)
		scene_play(s, "T4|snd(m)|\n");
}

/* x has the first episode of b in its lockset when the number of that episode is given
 * to one of c. Reclamation finds x in one state or another, as the padding goes. */
static void play_number_again(size_t limit, int early, int late)
{
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	dh_goldi_set_limit(s.engine, limit);
	scene_play(&s, "T1|w(x)|w\n T1|snd(n)|\n");
	pad(&s, early);
	scene_play(&s, "T1|benter(b)|\n T2|bleave(b)|\n T2|r(x)|\n T1|bleave(b)|\n"
		       "T2|benter(b)|\n");
	pad(&s, late);
	scene_play(&s, "T3|rcv(m)|\n T3|r(x)|r3\n");
	pad(&s, 3);
	scene_play(&s, "T5|benter(c)|\n T6|bleave(c)|\n T6|r(x)|r6\n");
	assert_int_equal(s.race_count, 2);
	scene_close(&s);
}

static void test_barrier_number_again(void **state)
{
	(void)state;
	for (size_t limit = 2; limit < 20; limit++)
		for (int early = 0; early < 20; early += 3)
			for (int late = 1; late < 12; late++)
				play_number_again(limit, early, late);
}

static void test_alloc(void **state)
{
	(void)state;
	expect_none("T1|w(x)|\n T2|alloc(x)|\n T2|w(x)|\n");
	expect_none("T1|r(x)|\n T3|r(x)|\n T2|alloc(x)|\n T2|w(x)|\n");
	expect_race("T1|w(x)|\n T2|alloc(x)|\n T2|w(x)|\n T1|w(x)|\n", 2, 3);
}

static void test_reads(void **state)
{
	(void)state;
	expect_none("T1|r(x)|\n T2|r(x)|\n T3|r(x)|\n T1|r(x)|\n");
	expect_race("T1|r(x)|\n T2|r(x)|\n T2|snd(m)|\n T3|rcv(m)|\n T3|w(x)|\n", 0, 4);
	expect_race("T1|w(x)|\n T2|r(x)|\n", 0, 1);
	/* The second read comes after the first and takes its place. */
	expect_race(
	    "T1|r(x)|\n T1|snd(m)|\n T2|rcv(m)|\n T2|r(x)|\n T3|rcv(m)|\n T3|w(x)|\n", 3,
	    5);
}

static void test_paper_reports_reads(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks_paper, NULL);
	scene_play(&s,
		   "T1|r(x)|\n T2|r(x)|\n T2|r(x)|\n T1|r(x)|\n T1|w(x)|\n T1|snd(m)|\n"
		   "T2|rcv(m)|\n T2|r(x)|\n T2|alloc(x)|\n T1|w(x)|\n");
	assert_int_equal(s.race_count, 2);
	assert_true(scene_has(&s, "x", 0, 1));
	assert_true(scene_has(&s, "x", 2, 3));
	assert_false(s.races[0].first_write || s.races[0].second_write);
	assert_true(scene_counter(&s, "owner") > 0);
	assert_true(scene_counter(&s, "full_walks") > 0);
	scene_close(&s);
}

/* ---- reclamation ---- */

static void sync_rounds(struct scene *s, int rounds)
{
	for (int i = 0; i < rounds; i++)
		scene_play(s, "T1|acq(L)|\n T1|rel(L)|\n T2|acq(L)|\n T2|rel(L)|\n");
}

/* x is settled among T1 and T2. Their descendants come after it; threads that start by
 * themselves only if they learn of it. */
static void test_settled(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_goldilocks, NULL);
	dh_goldi_set_limit(s.engine, 4);
	scene_play(&s, "T1|fork(T9)|\n T2|join(T9)|\n"); /* T9 is not waited for */
	scene_play(&s, "T1|acq(K)|\n T1|rel(K)|\n T2|acq(K)|\n T2|rel(K)|\n T1|w(x)|\n");
	sync_rounds(&s, 10);
	assert_true(scene_counter(&s, "settled") > 0);
	uint64_t walks = scene_counter(&s, "full_walks");
	scene_play(&s, "T2|fork(T3)|\n T3|fork(T4)|\n T4|r(x)|\n");
	assert_int_equal(s.race_count, 0);
	assert_int_equal(scene_counter(&s, "full_walks"), walks);
	scene_play(&s, "T5|acq(L)|\n T5|r(x)|\n T5|fork(T6)|\n T6|r(x)|\n T5|rel(L)|\n");
	assert_int_equal(s.race_count, 0);
	sync_rounds(&s, 10);
	scene_play(&s, "T7|acq(K)|\n T7|r(x)|\n"); /* K knows nothing of x */
	assert_int_equal(s.race_count, 1);
	scene_play(&s, "T8|r(x)|\n T8|acq(L)|\n T8|r(x)|\n");
	assert_int_equal(s.race_count, 1); /* the same pair of sites */
	scene_close(&s);
}

static void test_many_threads(void **state)
{
	(void)state;
	char line[64];
	for (size_t limit = 0; limit < 200; limit += 50) {
		struct scene s;
		scene_open(&s, &dh_engine_goldilocks, NULL);
		if (limit)
			dh_goldi_set_limit(s.engine, limit);
		scene_play(&s, "T0|w(x)|w\n");
		for (int i = 1; i < 200; i++) {
			snprintf(line, sizeof line, "T0|fork(T%d)|\n T%d|r(x)|r%d\n", i,
				 i, i);
			scene_play(&s, line);
		}
		for (int i = 1; i < 200; i++) {
			snprintf(line, sizeof line, "T0|join(T%d)|\n", i);
			if (i != 150)
				scene_play(&s, line);
		}
		assert_int_equal(s.race_count, 0);
		scene_play(&s, "T0|w(x)|w\n");
		assert_int_equal(s.race_count, 1);
		assert_int_equal(s.races[0].first.thread,
				 scene_number(&s, DH_NAME_THREAD, "T150"));
		scene_close(&s);
	}
}

static void feed(struct dh_stream *s, uint32_t thread, enum dh_op op, uint32_t target)
{
	dh_stream_feed(s, &(struct dh_event){.index = s->events,
					     .thread = thread,
					     .op = (uint8_t)op,
					     .target = target,
					     .site = target + 1});
}

/* Two million events on 50 variables. Numbers 0 and 1 are touched at the start and then
 * only at the end, where 0 is ordered and 1 is not. */
static void test_long_run(void **state)
{
	(void)state;
	enum { THREADS = 8, LOCKS = 4, IDLE = THREADS, LIMIT = 64 };
	struct dh_stream *s = dh_stream_new(&(struct dh_stream_config){0});
	struct dh_engine *e = dh_stream_add(s, &dh_engine_goldilocks);
	dh_goldi_set_limit(e, LIMIT);
	for (uint32_t t = 1; t < THREADS; t++)
		feed(s, 0, DH_FORK, t);
	feed(s, 1, DH_WRITE, 0);
	feed(s, IDLE, DH_WRITE, 1);
	size_t early = 0;
	uint64_t seed = 1;
	while (s->events < 2000000) {
		seed = dh_mix(seed + 1);
		uint32_t t = seed % THREADS, lock = (uint32_t)(seed >> 8) % LOCKS;
		uint32_t var = 2 + lock * 12 + (uint32_t)(seed >> 16) % 12;
		feed(s, t, DH_ACQUIRE, lock);
		feed(s, t, seed >> 24 & 1 ? DH_WRITE : DH_READ, var);
		feed(s, t, DH_RELEASE, lock);
		if (s->events < 20000)
			early = dh_mem_in_use();
	}
	assert_int_equal(e->races, 0);
	assert_true(dh_mem_in_use() < early + early / 2);
	const struct dh_counter *list = e->ops->counters;
	assert_in_range(dh_counter_value(e, list, "list_peak"), 1, LIMIT);
	assert_true(dh_counter_value(e, list, "cells_reclaimed") > 1000000);
	feed(s, 2, DH_WRITE, 0);
	feed(s, 3, DH_READ, 0);
	assert_int_equal(e->races, 1); /* 2 and 3 */
	feed(s, IDLE, DH_READ, 1);
	assert_int_equal(e->races, 1);
	feed(s, 2, DH_READ, 1);
	assert_int_equal(e->races, 2); /* IDLE never released anything */
	dh_stream_free(s);
}

static void test_memory_comes_back(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (size_t i = 0; i < DH_ARRAY_LEN(both); i++) {
		struct scene s;
		scene_open(&s, both[i], NULL);
		dh_goldi_set_limit(s.engine, 4);
		scene_play(
		    &s,
		    "T1|w(x)|\n T1|benter(b)|\n T1|benter(c)|\n T2|bleave(b)|\n"
		    "T1|benter(b)|\n T2|benter(b)|\n T3|r(y)|\n T2|r(y)|\n T1|r(y)|\n");
		sync_rounds(&s, 5);
		scene_close(&s);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure2),
	    cmocka_unit_test(test_eraser_would_warn),
	    cmocka_unit_test(test_alock_is_of_the_last_access),
	    cmocka_unit_test(test_alock_modes),
	    cmocka_unit_test(test_counters),
	    cmocka_unit_test(test_repeats_grow_nothing),
	    cmocka_unit_test(test_own_lock_again),
	    cmocka_unit_test(test_reader_writer_locks),
	    cmocka_unit_test(test_threads),
	    cmocka_unit_test(test_channels),
	    cmocka_unit_test(test_barriers),
	    cmocka_unit_test(test_barrier_numbers),
	    cmocka_unit_test(test_barrier_number_again),
	    cmocka_unit_test(test_alloc),
	    cmocka_unit_test(test_reads),
	    cmocka_unit_test(test_paper_reports_reads),
	    cmocka_unit_test(test_settled),
	    cmocka_unit_test(test_many_threads),
	    cmocka_unit_test(test_long_run),
	    cmocka_unit_test(test_memory_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
