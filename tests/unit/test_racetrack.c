/* SPDX-License-Identifier: MIT */
/*
 * Engine `racetrack`, step by step: every arrow of Figure 4, Figure 6's words, and the
 * granularity of section 2.4.2. test_racetrack_random.c compares it with a plain
 * formulation.
 */
#include "engines/racetrack.h"
#include "engines/racetrack_basic.h"
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- Figure 6 ---- */

static void test_words(void **state)
{
	(void)state;
	static const uint32_t infos[] = {0, 1, 2, 0x12345678 & DH_RACETRACK_INFO_MAX,
					 DH_RACETRACK_INFO_MAX};
	static const uint32_t extras[] = {0, 1, 0x80000000u, UINT32_MAX};
	for (int st = 0; st < DH_RACETRACK_STATES; st++) {
		for (size_t i = 0; i < DH_ARRAY_LEN(infos); i++) {
			for (size_t j = 0; j < DH_ARRAY_LEN(extras); j++) {
				dh_racetrack_words w =
					dh_racetrack_pack(st, infos[i], extras[j]);
				assert_int_equal(dh_racetrack_state(w), st);
				assert_int_equal(dh_racetrack_info(w), infos[i]);
				assert_int_equal(dh_racetrack_extra(w), extras[j]);
			}
		}
	}
	assert_int_equal(dh_racetrack_pack(DH_RACETRACK_VIRGIN, 0, 0), 0);
}

/* ---- Figure 4 ---- */

static enum dh_racetrack_state state_of(struct scene *s, const char *var)
{
	return dh_racetrack_state(dh_racetrack_field(scene_cell(s, var)));
}

/* Paths through the figure: lines to play, and the state of x after each. */
struct path {
	const char *what;
	struct {
		const char *lines;
		enum dh_racetrack_state state;
	} steps[8];
	int race; /* index of the reporting access; 0: silent */
};

#define EX0 DH_RACETRACK_EXCLUSIVE0
#define EX1 DH_RACETRACK_EXCLUSIVE1
#define SR  DH_RACETRACK_SHARED_READ
#define SM1 DH_RACETRACK_SHARED_MODIFY1
#define EX2 DH_RACETRACK_EXCLUSIVE2
#define SM2 DH_RACETRACK_SHARED_MODIFY2
#define RR  DH_RACETRACK_REPORT_RACE

/* From Virgin to Exclusive1 of B, to Exclusive2 of A, to Shared-Modify2 under l. */
#define TO_EX1                                                                           \
	{"A|w(x)|\n", EX0},                                                              \
	{                                                                                \
		"B|r(x)|\n", EX1                                                         \
	}
#define TO_EX2                                                                           \
	TO_EX1,                                                                          \
	{                                                                                \
		"A|w(x)|\n", EX2                                                         \
	}
#define TO_SM2                                                                           \
	TO_EX2,                                                                          \
	{                                                                                \
		"B|acq(l)|\n B|w(x)|\n B|rel(l)|\n", SM2                                 \
	}

static const struct path paths[] = {
	{"Exclusive0 stays with its thread", {{"A|w(x)|\n", EX0}, {"A|r(x)|\n", EX0}}, 0},
	{"Exclusive0 to 1, ordered or not", {TO_EX1}, 0},
	{"Exclusive1 stays with its thread", {TO_EX1, {"B|w(x)|\n", EX1}}, 0},
	{"Exclusive1 stays in a hand-over",
	 {TO_EX1, {"B|snd(m)|\n A|rcv(m)|\n A|w(x)|\n", EX1}, {"A|w(x)|\n", EX1}},
	 0},
	{"Exclusive1 to Shared-Read", {TO_EX1, {"A|r(x)|\n", SR}, {"B|r(x)|\n", SR}}, 0},
	{"Exclusive1 to Shared-Modify1", {TO_EX1, {"A|acq(l)|\n A|w(x)|\n", SM1}}, 0},
	{"Exclusive1 past Shared-Modify1 to Exclusive2", {TO_EX2}, 0},
	{"Shared-Read to Shared-Modify1",
	 {TO_EX1,
	  {"A|acq(l)|\n A|r(x)|\n A|rel(l)|\n", SR},
	  {"B|acq(l)|\n B|w(x)|\n B|rel(l)|\n", SM1}},
	 0},
	{"Shared-Read past Shared-Modify1 to Exclusive2",
	 {TO_EX1, {"A|r(x)|\n", SR}, {"B|acq(l)|\n B|w(x)|\n", EX2}},
	 0},
	{"Shared-Modify1 stays under its lock",
	 {TO_EX1,
	  {"A|acq(l)|\n A|w(x)|\n A|rel(l)|\n", SM1},
	  {"B|acq(l)|\n B|r(x)|\n B|rel(l)|\n", SM1}},
	 0},
	{"Shared-Modify1 to Exclusive2, by a read",
	 {TO_EX1, {"A|acq(l)|\n A|w(x)|\n A|rel(l)|\n", SM1}, {"B|r(x)|\n", EX2}},
	 0},
	{"Exclusive2 stays with its thread", {TO_EX2, {"A|r(x)|\n", EX2}}, 0},
	{"Exclusive2 stays in a hand-over",
	 {TO_EX2, {"A|snd(m)|\n B|rcv(m)|\n B|w(x)|\n", EX2}},
	 0},
	{"Exclusive2 to Shared-Modify2, and stays under its lock",
	 {TO_SM2,
	  {"A|acq(l)|\n A|w(x)|\n A|rel(l)|\n", SM2},
	  {"C|acq(l)|\n C|r(x)|\n", SM2}},
	 0},
	{"Exclusive2 past Shared-Modify2 to Report-Race", {TO_EX2, {"B|r(x)|\n", RR}}, 3},
	{"Shared-Modify2 back to Exclusive2, where the lockset starts over",
	 {TO_SM2,
	  {"B|snd(m)|\n A|rcv(m)|\n A|w(x)|\n", EX2},
	  {"B|acq(k)|\n B|w(x)|\n B|rel(k)|\n", SM2}},
	 0},
	{"Shared-Modify2 to Report-Race", {TO_SM2, {"C|acq(k)|\n C|r(x)|\n", RR}}, 7},
	{"Report-Race stays, and is reported once",
	 {TO_EX2, {"B|r(x)|\n", RR}, {"A|w(x)|a\n", RR}, {"C|w(x)|b\n", RR}},
	 3},
};

static void walk(const struct path *p)
{
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	for (int i = 0; i < 8 && p->steps[i].lines; i++) {
		scene_play(&s, p->steps[i].lines);
		if (state_of(&s, "x") != p->steps[i].state)
			fail_msg("%s, step %d: state %d", p->what, i, state_of(&s, "x"));
	}
	if (s.race_count != (p->race ? 1 : 0))
		fail_msg("%s: %u races", p->what, s.race_count);
	if (p->race && !scene_has(&s, "x", -1, p->race))
		fail_msg("%s: reported at another access", p->what);
	scene_close(&s);
}

static void test_figure4(void **state)
{
	(void)state;
	for (size_t i = 0; i < DH_ARRAY_LEN(paths); i++)
		walk(&paths[i]);
}

static uint32_t slot_of(const struct scene *s, const char *thread)
{
	return scene_thread(s, thread)->party.slot;
}

/* Is the set empty (lock NULL), or just this lock? */
static bool is_lock(const struct scene *s, dh_lockset set, const char *lock)
{
	uint32_t count;
	if (set == DH_LOCKSET_ALL)
		return false;
	const uint32_t *items = dh_lockset_items(s->stream->locksets, set, &count);
	if (!lock)
		return count == 0;
	return count == 1 && items[0] == scene_number(s, DH_NAME_LOCK, lock);
}

/* What the words hold besides the state. */
static void test_figure4_contents(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	scene_play(&s, "A|w(x)|\n");
	void *x = scene_cell(&s, "x");
	assert_int_equal(dh_racetrack_field(x), dh_racetrack_pack(EX0, 0, 0));
	scene_play(&s, "B|w(x)|\n");
	assert_int_equal(dh_racetrack_field(x),
			 dh_racetrack_pack(EX1, slot_of(&s, "B"), 1));
	scene_play(&s, "A|w(x)|\n");
	assert_int_equal(dh_racetrack_field(x),
			 dh_racetrack_pack(EX2, slot_of(&s, "A"), 1));
	scene_play(&s, "B|acq(l)|\n B|w(x)|\n B|rel(l)|\n");
	assert_true(is_lock(&s, dh_racetrack_info(dh_racetrack_field(x)), "l"));
	struct dh_threadset_table *sets = dh_racetrack_machine(s.engine)->threadsets;
	uint32_t count;
	dh_racetrack_words w = dh_racetrack_field(x);
	const struct dh_label *at =
		dh_threadset_items(sets, dh_racetrack_extra(w), &count);
	assert_int_equal(count, 2);
	assert_int_equal(at[0].slot, slot_of(&s, "A"));
	assert_int_equal(at[1].slot, slot_of(&s, "B"));
	/* A released lock is no new time frame: the words stay as they are. */
	scene_play(&s, "B|acq(l)|\n B|w(x)|\n B|rel(l)|\n");
	assert_int_equal(dh_racetrack_field(x), w);
	assert_int_equal(scene_counter(&s, "unchanged"), 1);
	/* A message is. */
	scene_play(&s, "B|snd(m)|\n B|acq(l)|\n B|w(x)|\n B|rel(l)|\n");
	assert_int_not_equal(dh_racetrack_field(x), w);
	assert_int_equal(scene_counter(&s, "threadsets_inserted"), 2);
	scene_close(&s);
}

/* The machine lets a first occurrence go and catches the repetition; Figure 2 sees
 * the first. */
static void test_repetition(void **state)
{
	(void)state;
	static const char once[] = "A|w(x)|a\n B|w(x)|b\n";
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	scene_play(&s, once);
	assert_int_equal(s.race_count, 0);
	scene_play(&s, once);
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "x", 2, 3));
	assert_int_equal(s.races[0].grade, DH_OBSERVED);
	assert_int_equal(scene_counter(&s, "low_accuracy"), 1);
	scene_play(&s, once);
	assert_int_equal(s.race_count, 1);
	assert_int_equal(scene_counter(&s, "virgin"), 1);
	assert_int_equal(scene_counter(&s, "exclusive0"), 1);
	assert_int_equal(scene_counter(&s, "exclusive1"), 1);
	assert_int_equal(scene_counter(&s, "exclusive2"), 1);
	assert_int_equal(scene_counter(&s, "report_race"), 2);
	scene_close(&s);

	scene_open(&s, &dh_engine_racetrack_basic, NULL);
	scene_play(&s, once);
	assert_true(scene_has(&s, "x", 0, 1));
	scene_close(&s);
}

/* Unordered in the weak relation alone. */
static void test_racetrack_potential(void **state)
{
	(void)state;
	static const char round[] = "A|w(x)|\n A|acq(l)|\n A|rel(l)|\n"
				    "B|acq(l)|\n B|rel(l)|\n B|w(x)|\n"
				    "B|acq(l)|\n B|rel(l)|\n A|acq(l)|\n A|rel(l)|\n";
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	scene_play(&s, round);
	scene_play(&s, round);
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "x", 10, 15));
	assert_int_equal(s.races[0].grade, DH_POTENTIAL);
	scene_close(&s);
}

/* ---- tables and clocks ---- */

/* A thread whose clock is full goes on in another slot and stays one thread. */
static void test_full_clocks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	s.stream->order.config.clock_max = 3;
	for (int i = 0; i < 10; i++)
		scene_play(&s, "A|w(x)|\n A|acq(l)|\n A|rel(l)|\n A|vw(v)|\n");
	assert_true(s.stream->order.slots_renewed > 3);
	assert_int_equal(s.race_count, 0);
	for (int i = 0; i < 3; i++)
		scene_play(&s, "B|w(x)|b\n A|w(x)|a\n");
	assert_int_equal(s.race_count, 1);
	scene_close(&s);
}

/* Numbers too large for word 1: a lockset counts as empty, an access of a thread is
 * left out. */
static void test_table_overflow(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	dh_racetrack_machine(s.engine)->info_limit = 1;
	scene_play(&s, "A|w(x)|\n B|w(x)|\n A|acq(l)|\n A|w(x)|\n A|rel(l)|\n");
	assert_int_equal(state_of(&s, "x"), SM1);
	assert_int_equal(scene_counter(&s, "table_overflow"), 0);
	scene_play(&s, "A|w(y)|\n B|w(y)|\n A|acq(k)|\n A|w(y)|\n");
	assert_int_equal(state_of(&s, "y"), EX2);
	assert_int_equal(scene_counter(&s, "table_overflow"), 1);
	scene_play(&s, "C|w(x)|\n C|w(z)|\n");
	assert_int_equal(state_of(&s, "x"), SM1);
	assert_int_equal(state_of(&s, "z"), DH_RACETRACK_VIRGIN);
	assert_int_equal(scene_counter(&s, "table_overflow"), 3);
	scene_close(&s);
}

/* Every time frame makes a new threadset; the old ones are swept. */
static void test_reclaim(void **state)
{
	(void)state;
	enum { ROUNDS = 9000 };
	struct scene s;
	scene_open(&s, &dh_engine_racetrack, NULL);
	scene_play(&s, "A|w(x)|\n B|w(x)|\n A|w(x)|\n");
	for (int i = 0; i < ROUNDS; i++)
		scene_play(&s, "B|acq(l)|\n B|w(x)|\n B|rel(l)|\n B|vw(v)|\n");
	assert_int_equal(state_of(&s, "x"), SM2);
	assert_int_equal(scene_counter(&s, "threadsets_inserted"), ROUNDS);
	assert_true(scene_counter(&s, "threadsets_reclaimed") > ROUNDS / 3);
	struct dh_threadset_stats stats;
	dh_threadset_get_stats(dh_racetrack_machine(s.engine)->threadsets, &stats);
	assert_int_equal(stats.live, 1);
	scene_play(&s, "B|alloc(x)|\n");
	dh_threadset_get_stats(dh_racetrack_machine(s.engine)->threadsets, &stats);
	assert_int_equal(stats.live, 0);
	scene_close(&s);
}

/* ---- granularity ---- */

static void open_objects(struct scene *s)
{
	struct dh_stream_config config = {.object_level = true};
	scene_open_config(s, &dh_engine_racetrack, NULL, &config);
}

static enum dh_racetrack_state object_state(struct scene *s, const char *object)
{
	uint32_t number = SCENE_NAMES + scene_number(s, DH_NAME_METHOD, object);
	return dh_racetrack_state(dh_racetrack_object(s->engine, number));
}

/* Each field has its lock, so the object has none. */
static void test_fields_with_own_locks(void **state)
{
	(void)state;
	static const char round[] = "A|acq(k)|\n A|w(o.a)|\n A|rel(k)|\n"
				    "B|acq(l)|\n B|w(o.b)|\n B|rel(l)|\n"
				    "A|acq(l)|\n A|w(o.b)|\n A|rel(l)|\n"
				    "B|acq(k)|\n B|w(o.a)|\n B|rel(k)|\n";
	struct scene s;
	open_objects(&s);
	for (int i = 0; i < 10; i++)
		scene_play(&s, round);
	assert_int_equal(s.race_count, 0);
	assert_int_equal(object_state(&s, "o"), RR);
	assert_int_equal(scene_counter(&s, "refinements"), 1);
	assert_int_equal(state_of(&s, "o.a"), SM1);
	assert_int_equal(state_of(&s, "o.b"), SM1);
	/* Exclusive0, Exclusive1, Shared-Modify1 under l, Exclusive2, Shared-Modify2
	 * under k, and the sixth access refines. */
	assert_int_equal(scene_counter(&s, "object_level_accesses"), 6);
	assert_int_equal(scene_counter(&s, "field_level_accesses"), 34);
	assert_int_equal(scene_counter(&s, "low_accuracy"), 2);
	scene_close(&s);
}

static void test_field_race(void **state)
{
	(void)state;
	struct scene s;
	open_objects(&s);
	/* The fourth access of the object refines it, the fourth of the field races. */
	scene_play(&s, "A|w(o.a)|a\n B|w(o.a)|b\n A|w(o.b)|c\n B|w(o.a)|d\n");
	assert_int_equal(object_state(&s, "o"), RR);
	assert_int_equal(scene_counter(&s, "refinements"), 1);
	assert_int_equal(s.race_count, 0);
	assert_int_equal(state_of(&s, "o.a"), DH_RACETRACK_VIRGIN);
	scene_play(&s, "A|w(o.a)|a\n B|w(o.a)|b\n A|w(o.a)|a\n");
	assert_int_equal(s.race_count, 0);
	scene_play(&s, "B|w(o.a)|b\n");
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "o.a", 6, 7));
	scene_play(&s, "A|w(o.b)|\n B|r(o.c)|\n");
	assert_int_equal(state_of(&s, "o.b"), EX0);
	assert_int_equal(s.race_count, 1);
	scene_close(&s);
}

/* An object starts over when all that was accessed in it is fresh. */
static void test_fresh_objects(void **state)
{
	(void)state;
	struct scene s;
	open_objects(&s);
	scene_play(&s, "A|w(o.a)|\n B|w(o.b)|\n");
	assert_int_equal(object_state(&s, "o"), EX1);
	scene_play(&s, "B|alloc(o.c)|\n B|alloc(o.a)|\n B|alloc(o.a)|\n");
	assert_int_equal(object_state(&s, "o"), EX1);
	scene_play(&s, "B|alloc(o.b)|\n");
	assert_int_equal(object_state(&s, "o"), DH_RACETRACK_VIRGIN);
	scene_play(&s, "A|w(o.a)|\n B|w(o.a)|\n A|w(o.a)|\n B|w(o.a)|\n B|w(o.a)|\n");
	assert_int_equal(object_state(&s, "o"), RR);
	assert_int_equal(state_of(&s, "o.a"), EX0);
	scene_play(&s, "A|alloc(o.a)|\n");
	assert_int_equal(object_state(&s, "o"), DH_RACETRACK_VIRGIN);
	assert_int_equal(state_of(&s, "o.a"), DH_RACETRACK_VIRGIN);
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_figure4),
		cmocka_unit_test(test_figure4_contents),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_racetrack_potential),
		cmocka_unit_test(test_full_clocks),
		cmocka_unit_test(test_table_overflow),
		cmocka_unit_test(test_reclaim),
		cmocka_unit_test(test_fields_with_own_locks),
		cmocka_unit_test(test_field_race),
		cmocka_unit_test(test_fresh_objects),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
