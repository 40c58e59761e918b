/* SPDX-License-Identifier: MIT */
/*
 * Engine `patent`: the patent's Figures 3 to 6 and 9 with the sets and clocks that its
 * text gives, what it leaves open, and sets of segments by themselves. That it agrees
 * with `racetrack-basic` is tested in test_racetrack_random.c.
 */
#include "engines/patent.h"
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static uint32_t id_of(const struct scene *s, const char *thread)
{
	return scene_number(s, DH_NAME_THREAD, thread);
}

/* C_t. */
static uint32_t clock_of(const struct scene *s, const char *thread)
{
	return dh_patent_clock(s->engine, id_of(s, thread));
}

/* Is <of, clock> in B_thread? */
static bool is_before(const struct scene *s, const char *thread, const char *of,
		      uint32_t clock)
{
	const struct dh_segments *b = dh_patent_before(s->engine, id_of(s, thread));
	for (size_t i = 0; i < b->at.len; i++)
		if (b->at.at[i].thread == id_of(s, of) && b->at.at[i].clock == clock)
			return true;
	return false;
}

/* |B_thread|. */
static size_t before_count(const struct scene *s, const char *thread)
{
	return dh_patent_before(s->engine, id_of(s, thread))->at.len;
}

/* Is <thread, clock> in T_x? */
static bool visits(struct scene *s, const char *thread, uint32_t clock)
{
	return dh_patent_has(scene_cell(s, "x"), id_of(s, thread), clock);
}

static uint32_t visit_count(struct scene *s)
{
	return dh_patent_size(scene_cell(s, "x"));
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

/* Is S_x this? */
static bool protects(struct scene *s, const char *lock)
{
	return is_lock(s, dh_patent_locks(scene_cell(s, "x")), lock);
}

/* Is S_thread this? */
static bool holds(const struct scene *s, const char *thread, const char *lock)
{
	return is_lock(s, scene_thread(s, thread)->held, lock);
}

/* One lock in both threads. */
static void test_figure3(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t1|acq(l)|\n");
	assert_true(holds(&s, "t1", "l"));
	scene_play(&s, "t1|w(x)|\n");
	assert_true(protects(&s, "l"));
	scene_play(&s, "t1|rel(l)|\n");
	assert_true(holds(&s, "t1", NULL));
	scene_play(&s, "t2|acq(l)|\n");
	assert_true(holds(&s, "t2", "l"));
	scene_play(&s, "t2|w(x)|\n");
	assert_true(protects(&s, "l"));
	scene_play(&s, "t2|rel(l)|\n");
	assert_true(holds(&s, "t2", NULL));
	assert_int_equal(visit_count(&s), 2);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* A lock in each thread, and not the same. */
static void test_figure4(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t1|acq(l1)|\n t1|w(x)|\n");
	assert_true(protects(&s, "l1"));
	scene_play(&s, "t1|rel(l1)|\n t2|acq(l2)|\n");
	assert_true(holds(&s, "t1", NULL));
	assert_true(holds(&s, "t2", "l2"));
	assert_int_equal(s.race_count, 0);
	scene_play(&s, "t2|w(x)|\n");
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "x", 1, 4));
	assert_int_equal(s.races[0].grade, DH_OBSERVED);
	scene_play(&s, "t2|rel(l2)|\n");
	assert_true(holds(&s, "t2", NULL));
	assert_int_equal(s.race_count, 1);
	scene_close(&s);
}

static void test_figure6_clocks(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t|w(y)|\n");
	assert_int_equal(clock_of(&s, "t"), 0);
	scene_play(&s, "t|fork(t1)|\n");
	assert_int_equal(clock_of(&s, "t"), 1);
	assert_int_equal(clock_of(&s, "t1"), 0);
	scene_play(&s, "t1|w(y)|\n t|join(t1)|\n");
	assert_int_equal(clock_of(&s, "t"), 1);
	assert_int_equal(clock_of(&s, "t1"), 0);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* Fork and join, where locksets alone raise a false alarm (Figure 5). */
static void test_figure5_and_9(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t|fork(t1)|\n");
	assert_int_equal(before_count(&s, "t"), 0);
	assert_int_equal(before_count(&s, "t1"), 1);
	assert_true(is_before(&s, "t1", "t", 0));
	scene_play(&s, "t|acq(l)|\n t|w(x)|\n t|rel(l)|\n"); /* block 905 */
	assert_true(protects(&s, "l"));
	assert_int_equal(visit_count(&s), 1);
	assert_true(visits(&s, "t", 1));
	scene_play(&s, "t1|acq(l)|\n t1|w(x)|\n t1|rel(l)|\n"); /* block 907 */
	assert_true(protects(&s, "l"));
	assert_int_equal(visit_count(&s), 2);
	assert_true(visits(&s, "t", 1));
	assert_true(visits(&s, "t1", 0));
	scene_play(&s, "t|join(t1)|\n");
	assert_int_equal(before_count(&s, "t"), 1);
	assert_true(is_before(&s, "t", "t1", 0));
	scene_play(&s, "t|w(x)|\n"); /* block 911 */
	assert_true(protects(&s, NULL));
	assert_int_equal(visit_count(&s), 1);
	assert_true(visits(&s, "t", 1));
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* B of the second child is {<t, 1>}, which stands for <t, 0> too. */
static void test_second_child(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t|w(x)|\n t|fork(t1)|\n t|fork(t2)|\n");
	assert_int_equal(before_count(&s, "t2"), 1);
	assert_true(is_before(&s, "t2", "t", 1));
	scene_play(&s, "t2|w(x)|\n");
	assert_int_equal(s.race_count, 0);
	scene_play(&s, "t1|w(x)|\n");
	assert_true(scene_has(&s, "x", 3, 4));
	scene_close(&s);
}

static void test_messages_and_volatiles(void **state)
{
	(void)state;
	static const char *const ways[][2] = {{"t|snd(m)|\n", "u|rcv(m)|\n"},
					      {"t|vw(v)|\n", "u|vr(v)|\n"}};
	for (int i = 0; i < 2; i++) {
		struct scene s;
		scene_open(&s, &dh_engine_patent, NULL);
		scene_play(&s, "t|w(x)|\n");
		scene_play(&s, ways[i][1]); /* before anything was sent */
		assert_int_equal(before_count(&s, "u"), 0);
		scene_play(&s, ways[i][0]);
		assert_int_equal(clock_of(&s, "t"), 1);
		scene_play(&s, ways[i][1]);
		assert_true(is_before(&s, "u", "t", 0));
		assert_int_equal(clock_of(&s, "u"), 0);
		scene_play(&s, "u|w(x)|\n");
		assert_int_equal(s.race_count, 0);
		assert_true(visits(&s, "u", 0));
		scene_play(&s, "t|w(x)|\n");
		assert_int_equal(s.race_count, 1);
		scene_close(&s);
	}
}

/* A straggler leaves the episode that it entered, and learns nothing of the next. */
static void test_barrier(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t|benter(b)|\n u|benter(b)|\n t|bleave(b)|\n");
	assert_int_equal(clock_of(&s, "t"), 1);
	assert_int_equal(before_count(&s, "t"), 1);
	assert_true(is_before(&s, "t", "u", 0));
	scene_play(&s, "t|w(x)|\n t|benter(b)|\n u|bleave(b)|\n");
	assert_int_equal(before_count(&s, "u"), 1);
	assert_true(is_before(&s, "u", "t", 0));
	scene_play(&s, "u|r(x)|\n");
	assert_true(scene_has(&s, "x", 3, 6));
	scene_close(&s);
}

/* An episode still open, or entered twice, at the end of the run is given back. */
static void test_barrier_left_open(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s, "t|benter(b)|\n t|benter(b)|\n u|benter(b)|\n u|bleave(b)|\n"
		       "u|benter(b)|\n v|bleave(b)|\n v|bleave(c)|\n");
	scene_close(&s);
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_potential(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_patent, NULL);
	scene_play(&s,
		   "t|w(x)|\n t|acq(l)|\n t|rel(l)|\n u|acq(l)|\n u|rel(l)|\n u|w(x)|\n");
	assert_true(scene_has(&s, "x", 0, 5));
	assert_int_equal(s.races[0].grade, DH_POTENTIAL);
	scene_play(&s, "t|w(x)|again\n u|alloc(x)|\n u|w(x)|\n");
	assert_int_equal(s.race_count, 1);
	assert_int_equal(scene_counter(&s, "after_report"), 1);
	scene_close(&s);
}

/* Against arrays by thread, where absent is -1. */
static void test_segments(void **state)
{
	(void)state;
	enum { THREADS = 12 };
	uint32_t seed = 12345;
	for (int round = 0; round < 500; round++) {
		struct dh_segments sets[2] = {0};
		int plain[2][THREADS];
		memset(plain, -1, sizeof plain);
		for (int i = 0; i < 14; i++) {
			seed = seed * 1664525 + 1013904223;
			uint32_t which = seed >> 31, t = (seed >> 16) % THREADS;
			int clock = (int)(seed >> 8 & 7);
			dh_segments_add(&sets[which], t, (uint32_t)clock);
			plain[which][t] = DH_MAX(plain[which][t], clock);
		}
		uint32_t except = round % 2 ? (seed >> 20) % THREADS : DH_SEGMENTS_NO_ONE;
		dh_segments_add_all(&sets[0], &sets[1], except);
		for (uint32_t t = 0; t < THREADS; t++) {
			int most = plain[0][t];
			if (t != except)
				most = DH_MAX(most, plain[1][t]);
			for (int clock = 0; clock < 9; clock++)
				assert_int_equal(
					dh_segments_reach(&sets[0], t, (uint32_t)clock),
					most >= clock);
		}
		for (size_t i = 1; i < sets[0].at.len; i++)
			assert_true(sets[0].at.at[i - 1].thread <
				    sets[0].at.at[i].thread);
		dh_segments_free(&sets[0]);
		dh_segments_free(&sets[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure3),
		cmocka_unit_test(test_figure4),
		cmocka_unit_test(test_figure6_clocks),
		cmocka_unit_test(test_figure5_and_9),
		cmocka_unit_test(test_second_child),
		cmocka_unit_test(test_messages_and_volatiles),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_barrier_left_open),
		cmocka_unit_test(test_potential),
		cmocka_unit_test(test_segments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
