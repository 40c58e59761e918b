/* SPDX-License-Identifier: MIT */
/*
 * Engine `racetrack-basic`, step by step: Figure 3 with the sets of section 2.3, and
 * what Figure 2 reports, with which pair and grade. test_racetrack_random.c compares
 * it with a plain formulation.
 */
#include "engines/racetrack_basic.h"
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* ---- Figure 3 ---- */

/* The basic algorithm without strong order: clocks tick where the paper's do. */
static struct dh_engine_ops paper_clocks(void)
{
	struct dh_engine_ops ops = dh_engine_racetrack_basic;
	ops.needs = DH_NEEDS_WEAK | DH_NEEDS_LOCKSETS;
	return ops;
}

static uint32_t slot_of(const struct scene *s, const char *thread)
{
	return scene_thread(s, thread)->party.slot;
}

/* B_thread(of), in the weak relation. */
static uint32_t known(const struct scene *s, const char *thread, const char *of)
{
	return dh_order_knows(&scene_thread(s, thread)->party, DH_WEAK, slot_of(s, of));
}

static uint32_t label(struct scene *s, const char *var, const char *thread)
{
	return dh_racetrack_basic_clock(scene_cell(s, var), slot_of(s, thread));
}

static uint32_t labels(struct scene *s, const char *var)
{
	return dh_racetrack_basic_size(scene_cell(s, var));
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

static bool protects(struct scene *s, const char *var, const char *lock)
{
	return is_lock(s, dh_racetrack_basic_locks(scene_cell(s, var)), lock);
}

static void figure3_step1(struct scene *s)
{
	scene_play(s, "t|fork(u)|1\n");
	assert_int_equal(known(s, "t", "t"), 2);
	assert_int_equal(known(s, "t", "u"), 0);
	assert_int_equal(known(s, "u", "t"), 1);
	assert_int_equal(known(s, "u", "u"), 1);
	assert_true(is_lock(s, scene_thread(s, "u")->held, NULL));
}

static void figure3_steps2_to_7(struct scene *s, bool t_first)
{
	static const char t[] = "t|acq(a)|2\n t|w(x)|3\n t|rel(a)|4\n";
	static const char u[] = "u|acq(a)|5\n u|w(x)|6\n u|rel(a)|7\n";
	scene_play(s, t_first ? t : u);
	assert_true(protects(s, "x", "a"));
	assert_int_equal(labels(s, "x"), 1);
	assert_int_equal(label(s, "x", "t"), t_first ? 2 : 0);
	assert_int_equal(label(s, "x", "u"), t_first ? 0 : 1);
	assert_true(is_lock(s, scene_thread(s, "t")->held, NULL));
	scene_play(s, t_first ? u : t);
	assert_true(protects(s, "x", "a"));
	assert_int_equal(labels(s, "x"), 2);
	assert_int_equal(label(s, "x", "t"), 2);
	assert_int_equal(label(s, "x", "u"), 1);
	assert_int_equal(known(s, "t", "t"), 2);
	assert_int_equal(known(s, "t", "u"), 0);
}

static void figure3_steps8_to_10(struct scene *s)
{
	scene_play(s, "t|join(u)|8\n");
	assert_int_equal(known(s, "t", "t"), 2);
	assert_int_equal(known(s, "t", "u"), 1);
	scene_play(s, "t|w(x)|9\n");
	assert_true(protects(s, "x", NULL));
	assert_int_equal(labels(s, "x"), 1);
	assert_int_equal(label(s, "x", "t"), 2);
	scene_play(s, "t|fork(v)|10\n");
	assert_int_equal(known(s, "t", "t"), 3);
	assert_int_equal(known(s, "v", "t"), 2);
	/* v follows u in its slot, where the clock goes on: <v, 1> is 2 here. */
	assert_int_equal(slot_of(s, "v"), slot_of(s, "u"));
	assert_int_equal(known(s, "v", "v"), 2);
	assert_int_equal(known(s, "t", "v"), 1);
}

static void figure3_steps11_to_17(struct scene *s, bool t_first)
{
	static const char t[] = "t|acq(a)|11\n t|w(x)|12\n t|rel(a)|13\n";
	static const char v[] = "v|acq(a)|14\n v|w(x)|15\n v|rel(a)|16\n";
	scene_play(s, t_first ? t : v);
	assert_true(protects(s, "x", "a"));
	assert_int_equal(labels(s, "x"), 1);
	assert_int_equal(label(s, "x", "t"), t_first ? 3 : 0);
	assert_int_equal(label(s, "x", "v"), t_first ? 0 : 2);
	scene_play(s, t_first ? v : t);
	assert_true(protects(s, "x", "a"));
	assert_int_equal(labels(s, "x"), 2);
	assert_int_equal(label(s, "x", "t"), 3);
	assert_int_equal(label(s, "x", "v"), 2);
	scene_play(s, "t|join(v)|17\n");
	assert_int_equal(known(s, "t", "t"), 3);
	assert_int_equal(known(s, "t", "v"), 2);
}

static void test_figure3(void **state)
{
	(void)state;
	struct dh_engine_ops ops = paper_clocks();
	for (int i = 0; i < 4; i++) {
		struct scene s;
		scene_open(&s, &ops, NULL);
		figure3_step1(&s);
		figure3_steps2_to_7(&s, i & 1);
		figure3_steps8_to_10(&s);
		figure3_steps11_to_17(&s, i & 2);
		assert_int_equal(s.race_count, 0);
		scene_close(&s);
	}
}

/* ---- Figure 2: what is reported, and how ---- */

struct expectation {
	const char *what;
	const char *lines;
	int races;
	int first, second;
	enum dh_grade grade;
};

static const struct expectation basic_cases[] = {
	{"two writes without locks", "A|w(x)|\n B|w(x)|\n", 1, 0, 1, DH_OBSERVED},
	{"two reads count too", "A|r(x)|\n B|r(x)|\n", 1, 0, 1, DH_POTENTIAL},
	{"a common lock", "A|acq(l)|\n A|w(x)|\n A|rel(l)|\n B|acq(l)|\n B|w(x)|\n", 0, 0,
	 0, 0},
	{"ordered by the luck of a lock",
	 "A|w(x)|\n A|acq(l)|\n A|rel(l)|\n B|acq(l)|\n B|rel(l)|\n B|w(x)|\n", 1, 0, 5,
	 DH_POTENTIAL},
	{"ordered by a message", "A|w(x)|\n A|snd(m)|\n B|rcv(m)|\n B|w(x)|\n", 0, 0, 0,
	 0},
	{"after the message", "A|snd(m)|\n A|w(x)|\n B|rcv(m)|\n B|w(x)|\n", 1, 1, 3,
	 DH_OBSERVED},
	{"ordered by a volatile", "A|w(x)|\n A|vw(v)|\n B|vr(v)|\n B|w(x)|\n", 0, 0, 0,
	 0},
	{"ordered by a barrier",
	 "A|w(x)|\n A|benter(b)|\n B|benter(b)|\n B|bleave(b)|\n B|w(x)|\n", 0, 0, 0, 0},
	{"fresh memory", "A|w(x)|\n B|alloc(x)|\n B|w(x)|\n", 0, 0, 0, 0},
	{"a read lock does not protect a write",
	 "A|rdacq(l)|\n A|w(x)|\n A|rdrel(l)|\n B|rdacq(l)|\n B|w(x)|\n", 1, 1, 4,
	 DH_OBSERVED},
	{"a read lock protects a read from a writer",
	 "A|acq(l)|\n A|w(x)|\n A|rel(l)|\n B|rdacq(l)|\n B|r(x)|\n", 0, 0, 0, 0},
	{"each variable once", "A|w(x)|\n B|w(x)|\n A|w(x)|a\n B|w(x)|b\n", 1, 0, 1,
	 DH_OBSERVED},
	{"a write under the label of a later read, ordered; the read is not",
	 "A|w(x)|\n A|snd(m)|\n A|r(x)|\n B|rcv(m)|\n B|r(x)|\n", 1, 0, 4, DH_POTENTIAL},
	{"an unordered access is named before a more recent ordered one",
	 "A|rdacq(m)|\n A|r(x)|\n A|rdrel(m)|\n B|rdacq(m)|\n B|r(x)|\n B|rdrel(m)|\n"
	 "B|acq(l)|\n B|rel(l)|\n C|acq(l)|\n C|rel(l)|\n C|w(x)|\n",
	 1, 1, 10, DH_OBSERVED},
	{"a thread that follows another in its slot does not inherit its accesses",
	 "A|fork(D)|\n D|w(x)|\n A|join(D)|\n A|fork(U)|\n U|r(x)|\n V|r(x)|\n", 1, 4, 5,
	 DH_POTENTIAL},
	{"what was forgotten in a hand-over is not found",
	 "A|w(x)|\n A|snd(m)|\n B|rcv(m)|\n B|acq(l)|\n B|w(x)|\n B|rel(l)|\n"
	 "C|acq(l)|\n C|w(x)|\n",
	 0, 0, 0, 0},
	{"a lock for each pair is no common lock",
	 "A|acq(a)|\n A|acq(b)|\n A|w(x)|\n A|rel(a)|\n A|rel(b)|\n"
	 "B|acq(b)|\n B|acq(c)|\n B|w(x)|\n B|rel(b)|\n B|rel(c)|\n"
	 "C|acq(a)|\n C|acq(c)|\n C|w(x)|\n",
	 1, 7, 12, DH_POTENTIAL},
	{"a third label outgrows the cell",
	 "A|acq(l)|\n A|r(x)|\n A|rel(l)|\n B|acq(l)|\n B|r(x)|\n B|rel(l)|\n"
	 "C|acq(l)|\n C|r(x)|\n C|rel(l)|\n D|acq(l)|\n D|r(x)|\n D|rel(l)|\n E|w(x)|\n",
	 1, 10, 12, DH_OBSERVED},
};

static void test_basic_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < DH_ARRAY_LEN(basic_cases); i++) {
		const struct expectation *c = &basic_cases[i];
		struct scene s;
		scene_open(&s, &dh_engine_racetrack_basic, NULL);
		scene_play(&s, c->lines);
		if ((int)s.race_count != c->races)
			fail_msg("%s: %u races", c->what, s.race_count);
		if (c->races && !scene_has(&s, "x", c->first, c->second))
			fail_msg("%s: first is %d", c->what, (int)s.races[0].first.index);
		if (c->races && s.races[0].grade != c->grade)
			fail_msg("%s: grade %d", c->what, s.races[0].grade);
		scene_close(&s);
	}
}

/* Where strong is not kept, nothing can be called observed. */
static void test_grade_without_strong(void **state)
{
	(void)state;
	struct dh_engine_ops ops = paper_clocks();
	struct scene s;
	scene_open(&s, &ops, NULL);
	scene_play(&s, "A|w(x)|\n B|w(x)|\n");
	assert_true(scene_has(&s, "x", 0, 1));
	assert_int_equal(s.races[0].grade, DH_POTENTIAL);
	scene_close(&s);
}

/* alloc() also forgets that the variable was reported. */
static void test_reported_again_after_alloc(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_racetrack_basic, NULL);
	scene_play(&s, "A|w(x)|a\n B|w(x)|b\n A|w(x)|c\n A|alloc(x)|d\n"
		       "A|w(x)|e\n B|w(x)|f\n");
	assert_int_equal(s.race_count, 2);
	assert_true(scene_has(&s, "x", 4, 5));
	scene_close(&s);
}

/* A thread whose clock is full goes on in another slot and stays one thread. */
static void test_full_clocks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_racetrack_basic, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure3),
		cmocka_unit_test(test_basic_cases),
		cmocka_unit_test(test_grade_without_strong),
		cmocka_unit_test(test_reported_again_after_alloc),
		cmocka_unit_test(test_full_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
