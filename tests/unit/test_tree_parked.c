/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the filters hold back: at which moments they are forwarded, in which
 * order, to whom, and that evictions do not lose them.
 */
#include "dice.h"
#include "tree_scene.h"

/* ---- moments ---- */

/* T3's read, event 6, is parked behind those of T1 and T2. */
static const char parked[] = "T0|fork(T1)|\nT0|fork(T2)|\nT0|fork(T3)|\nT0|fork(T4)|\n"
			     "T1|r(x)|a\nT2|r(x)|a\nT3|r(x)|a\n";

static const struct {
	const char *lines;
	bool tree, strict; /* is it forwarded? */
} moments[] = {
    /* its own thread publishes, learns or is joined */
    {"T3|snd(m)|\n", true, true},
    {"T3|rcv(m)|\n", true, true},
    {"T3|vw(v)|\n", true, true},
    {"T3|vr(v)|\n", true, true},
    {"T3|benter(b)|\n", true, true},
    {"T3|bleave(b)|\n", true, true},
    {"T3|fork(T9)|\n", true, true},
    {"T3|join(T4)|\n", true, true},
    {"T0|join(T3)|\n", true, true},
    {"T3|acq(L)|\n", false, true},
    {"T3|rdacq(L)|\n", false, true},
    {"T3|acq(L)|\nT3|rel(L)|\n", false, true},
    /* a member publishes or is joined */
    {"T1|snd(m)|\n", true, true},
    {"T2|vw(v)|\n", true, true},
    {"T1|benter(b)|\n", true, true},
    {"T2|fork(T9)|\n", true, true},
    {"T0|join(T2)|\n", true, true},
    {"T1|acq(L)|\nT1|rel(L)|\n", false, true},
    {"T2|rdacq(L)|\nT2|rdrel(L)|\n", false, true},
    /* a member learns; others do what they like */
    {"T1|rcv(m)|\n", false, false},
    {"T2|vr(v)|\n", false, false},
    {"T1|bleave(b)|\n", false, false},
    {"T1|join(T4)|\n", false, false},
    {"T2|acq(L)|\n", false, false},
    {"T4|snd(m)|\nT4|acq(L)|\nT4|rel(L)|\nT0|fork(T9)|\nT0|join(T4)|\n", false, false},
    {"T3|r(x)|b\nT4|w(x)|c\nT3|mb(f)|\nT3|me(f)|\n", false, false},
    /* for good */
    {"T0|alloc(x)|\nT0|join(T3)|\n", false, false},
};

static void test_parked(void **state)
{
	(void)state;
	struct scene s;
	for (size_t i = 0; i < DH_ARRAY_LEN(moments); i++)
		for (int strict = 0; strict < 2; strict++) {
			scene_open(&s, &recorder,
				   strict ? &dh_filter_tree_strict : &dh_filter_tree);
			scene_play(&s, parked);
			assert_false(got(&s, 6));
			assert_int_equal(scene_counter(&s, "filter_dropped"), 1);
			scene_play(&s, moments[i].lines);
			bool want = strict ? moments[i].strict : moments[i].tree;
			if (got(&s, 6) != want)
				fail_msg("after %s", moments[i].lines);
			assert_int_equal(scene_counter(&s, "parked_forwarded"), want);
			assert_int_equal(scene_counter(&s, "inter_thread"), !want);
			scene_close(&s);
		}
}

/* The forwarded access stands for the next ones in the place of the member. */
static void test_succession(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, parked);
	scene_play(&s, "T4|r(x)|a\nT1|snd(m)|\n");
	assert_true(got(&s, 6) && !got(&s, 7));
	scene_play(&s, "T2|snd(m)|\n");
	assert_true(got(&s, 7));
	scene_close(&s);
}

/* Several at once go in the order of the trace. */
static void test_late_order(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, parked);
	scene_play(&s, "T2|w(y)|b\nT1|w(y)|b\nT4|w(y)|b\n"
		       "T1|r(z)|c\nT2|r(z)|c\nT3|r(z)|c\nT1|snd(m)|\n");
	static const uint64_t want[] = {4, 5, 7, 8, 10, 11, 6, 9, 12};
	const struct recorder *r = (struct recorder *)s.engine;
	assert_int_equal(r->count, DH_ARRAY_LEN(want));
	for (size_t i = 0; i < DH_ARRAY_LEN(want); i++)
		assert_int_equal(r->order[i], want[i]);
	scene_close(&s);
}

/* A race with a late access still names the earlier access first. */
static void test_late_report(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &pairs, &dh_filter_tree_strict);
	scene_play(&s, parked);
	scene_play(&s, "T4|w(x)|b\nT3|snd(m)|\n");
	assert_true(scene_has(&s, "x", 4, 7));
	assert_true(scene_has(&s, "x", 6, 7));
	assert_int_equal(s.race_count, 3);
	for (unsigned i = 0; i < s.race_count; i++)
		assert_true(!s.races[i].first_write && s.races[i].second_write);
	scene_close(&s);
}

/* Behind `tree`, an engine of lock order does not get an access after its thread's
 * lock operations: T4's write is ordered after all three reads. */
static void test_lock_order(void **state)
{
	(void)state;
	static const char lines[] = "T1|acq(A)|\nT1|rel(A)|\nT2|acq(B)|\nT2|rel(B)|\n"
				    "T3|acq(C)|\nT3|rel(C)|\n"
				    "T4|acq(A)|\nT4|acq(B)|\nT4|acq(C)|\nT4|w(x)|b\n"
				    "T1|snd(m)|\n";
	struct scene s;
	scene_open(&s, &pairs, &dh_filter_tree);
	scene_play(&s, parked);
	scene_play(&s, lines);
	assert_int_equal(s.race_count, 0);
	assert_counts(&s, 4, 0, 1);
	scene_close(&s);
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, parked);
	scene_play(&s, lines);
	assert_true(got(&s, 6));
	scene_close(&s);
}

/* ---- bounded memory ---- */

/* A parked access goes with the entry of its thread, or with its stack: T4 fills the
 * table with locations (having forked, it has no stacks); or it sends messages, and
 * makes a stack after each, as T5 keeps the first place. */
static void test_eviction_of_parked(void **state)
{
	(void)state;
	struct scene s;
	for (int stacks = 0; stacks < 2; stacks++) {
		scene_open(&s, &recorder, &dh_filter_tree);
		s.filter->limit = 10;
		scene_play(&s, parked);
		play_format(&s, stacks ? "T5|r(x)|b\n" : "T4|fork(T9)|\n");
		assert_false(got(&s, 6));
		for (int i = 0; i < 6; i++)
			if (stacks)
				play_format(&s, "T4|snd(m%d)|\nT4|r(x)|b\n", i);
			else
				play_format(&s, "T4|r(x)|b%d\n", i);
		assert_true(got(&s, 6));
		assert_int_equal(scene_counter(&s, "parked_forwarded"), 1);
		assert_true(scene_counter(&s, "evicted") > 0);
		assert_true(scene_counter(&s, "histories") <= 10);
		scene_close(&s);
	}
}

/* What waits for the next access to its variable outlives the entry of its history,
 * and a repeat that is found by the stack: T2, which has forked, fills the table. */
static void test_waiting_after_eviction(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &figure2, &dh_filter_tree);
	s.filter->limit = 4;
	scene_play(&s, "T2|fork(T3)|\n"
		       "T1|acq(A)|\nT1|w(x)|1\nT1|rel(A)|\n"
		       "T1|acq(B)|\nT1|w(x)|2\nT1|rel(B)|\n"
		       "T1|acq(A)|\nT1|w(x)|1\n");
	assert_counts(&s, 3, 1, 0);
	scene_play(&s, "T2|r(y)|3\nT2|r(y)|4\nT2|r(y)|5\nT2|r(y)|6\nT1|w(x)|1\n");
	assert_counts(&s, 8, 2, 0);
	scene_play(&s, "T3|acq(B)|\nT3|w(x)|7\n");
	assert_int_equal(scene_counter(&s, "parked_forwarded"), 1);
	assert_true(scene_has(&s, "x", -1, 15));
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parked),
	    cmocka_unit_test(test_succession),
	    cmocka_unit_test(test_late_order),
	    cmocka_unit_test(test_late_report),
	    cmocka_unit_test(test_lock_order),
	    cmocka_unit_test(test_eviction_of_parked),
	    cmocka_unit_test(test_waiting_after_eviction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
