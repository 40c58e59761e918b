/* SPDX-License-Identifier: MIT */
/*
 * The filters on the figures of TREE (chapter 3 and section 5.1), on the traces that
 * show what its rules lose as printed, and on small ones about contexts. When parked
 * accesses are forwarded is in test_tree_parked.c; that nothing else is lost is the
 * business of test_tree_random.c.
 */
#include "dice.h"
#include "tree_scene.h"

/* ---- figures ---- */

/* Two loops under different locks; in a row, and by turns. */
static void test_figure_3_1(void **state)
{
	(void)state;
	struct scene s;
	for (int by_turns = 0; by_turns < 2; by_turns++) {
		scene_open(&s, &recorder, &dh_filter_tree);
		for (int i = 0; i < 20; i++) {
			int t = by_turns ? i % 2 : i / 10;
			play_format(&s, "T%d|acq(%c)|\nT%d|w(x)|%d\nT%d|rel(%c)|\n", t,
				    "AB"[t], t, t + 1, t, "AB"[t]);
		}
		assert_counts(&s, 20, 18, 0);
		assert_true(got(&s, 1));
		assert_true(got(&s, by_turns ? 4 : 31));
		scene_close(&s);
	}
}

/* m_read, m_write under A or B, m_write under no lock: the first of each passes. */
static void test_figure_3_2(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	for (int i = 1; i <= 10; i++) {
		char lock = i <= 5 ? 'A' : 'B';
		play_format(&s,
			    "T0|r(x)|m_read\nT0|acq(%c)|\nT0|w(x)|m_write\n"
			    "T0|rel(%c)|\nT0|w(x)|m_write\n",
			    lock, lock);
	}
	assert_counts(&s, 30, 26, 0);
	assert_true(got(&s, 0) && got(&s, 2) && got(&s, 4) && got(&s, 27));
	scene_close(&s);
}

/* T1 to T4 write under A, T5 to T9 without: two of each pass. T0's context changes
 * with each fork. */
static void test_figure_3_3(void **state)
{
	(void)state;
	struct scene s;
	int write[10];
	scene_open(&s, &recorder, &dh_filter_tree);
	for (int i = 1; i < 10; i++) {
		play_format(&s,
			    "T0|r(x)|1\nT0|fork(T%d)|\n"
			    "T0|acq(A)|\nT0|w(x)|3\nT0|rel(A)|\n",
			    i);
		if (i < 5)
			play_format(&s, "T%d|acq(A)|\n", i);
		write[i] = (int)s.index;
		play_format(&s, "T%d|w(x)|5\n", i);
		if (i < 5)
			play_format(&s, "T%d|rel(A)|\n", i);
	}
	assert_counts(&s, 27, 0, 5);
	for (int i = 1; i < 10; i++)
		assert_int_equal(got(&s, write[i]), i < 3 || i == 5 || i == 6);
	scene_close(&s);
}

static const char figure_3_4[] = "T0|fork(T1)|\nT0|fork(T2)|\nT0|fork(T3)|\n"
				 "T0|acq(L1)|\nT0|w(x)|1\nT0|rel(L1)|\nT0|r(x)|2\n"
				 "T0|acq(L2)|\nT0|w(x)|1\nT0|rel(L2)|\nT0|r(x)|2\n"
				 "T0|acq(L3)|\nT0|w(x)|1\nT0|rel(L3)|\nT0|r(x)|2\n"
				 "T1|acq(L1)|\nT1|w(x)|3\nT1|rel(L1)|\nT1|w(x)|4\n"
				 "T2|acq(L2)|\nT2|w(x)|3\nT2|rel(L2)|\nT2|w(x)|4\n"
				 "T3|acq(L3)|\nT3|w(x)|3\nT3|rel(L3)|\nT3|w(x)|4\n";

/* Its accesses by the paper's numbers, which count from 1. */
static const struct {
	int event, thread, lock, location;
	bool write;
} accesses[] = {
    {5, 0, 1, 1, true},	 {7, 0, 0, 2, false},  {9, 0, 2, 1, true},  {11, 0, 0, 2, false},
    {13, 0, 3, 1, true}, {15, 0, 0, 2, false}, {17, 1, 1, 3, true}, {19, 1, 0, 4, true},
    {21, 2, 2, 3, true}, {23, 2, 0, 4, true},  {25, 3, 3, 3, true}, {27, 3, 0, 4, true},
};

static bool is_race(size_t i, size_t j)
{
	return accesses[i].thread != accesses[j].thread &&
	       (accesses[i].write || accesses[j].write) &&
	       !(accesses[i].lock && accesses[i].lock == accesses[j].lock);
}

static void test_figure_3_4(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, figure_3_4);
	assert_counts(&s, 12, 2, 1);
	for (size_t i = 0; i < DH_ARRAY_LEN(accesses); i++) {
		int e = accesses[i].event;
		assert_int_equal(got(&s, e - 1), e != 11 && e != 15 && e != 27);
	}
	scene_close(&s);

	/* Through locks, T0's frame changes all the time; T3 still knows what T1 and
	 * T2 knew, as its lock was released last. */
	scene_open(&s, &recorder, &dh_filter_tree_strict);
	scene_play(&s, figure_3_4);
	assert_counts(&s, 12, 0, 1);
	scene_close(&s);
}

/* No access is ordered before one of another thread here, so races are pairs with no
 * lock in common. The paper speaks of 27 in all, which is the first two groups of its
 * list; the list goes on (and has some pairs twice), without those of locations 3 and
 * 4. There are 45, of seven pairs of locations, and the filter keeps all seven. */
static void test_figure_3_4_races(void **state)
{
	(void)state;
	int pairs_at[5][5] = {{0}}, kept_at[5][5] = {{0}}, all = 0;
	for (size_t j = 0; j < DH_ARRAY_LEN(accesses); j++)
		for (size_t i = 0; i < j; i++) {
			if (!is_race(i, j))
				continue;
			int a = DH_MIN(accesses[i].location, accesses[j].location);
			int b = DH_MAX(accesses[i].location, accesses[j].location);
			int e = accesses[i].event, f = accesses[j].event;
			all++;
			pairs_at[a][b]++;
			kept_at[a][b] += e != 11 && e != 15 && f != 11 && f != 15 &&
					 e != 27 && f != 27;
		}
	assert_int_equal(pairs_at[2][3] + pairs_at[2][4] + pairs_at[1][4], 27);
	assert_int_equal(pairs_at[1][3], 6);
	assert_int_equal(pairs_at[3][3], 3);
	assert_int_equal(pairs_at[4][4], 3);
	assert_int_equal(pairs_at[3][4], 6);
	assert_int_equal(all, 45);
	for (int a = 1; a < 5; a++)
		for (int b = 1; b < 5; b++)
			assert_int_equal(pairs_at[a][b] > 0, kept_at[a][b] > 0);
}

/* Five rounds over an array in one span: four rounds are redundant. */
static void test_figure_3_7(void **state)
{
	(void)state;
	enum { LENGTH = 8 };
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_span);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < LENGTH; j++)
			play_format(&s, "T0|w(a%d)|%d\n", j, i);
	assert_int_equal(scene_counter(&s, "span"), 4 * LENGTH);
	assert_int_equal(scene_counter(&s, "filter_dropped"), 4 * LENGTH);
	assert_int_equal(scene_counter(&s, "filter_seen"), 5 * LENGTH);
	/* A write covers reads, a read no write; a span ends with an outgoing edge. */
	play_format(&s, "T0|r(a0)|\nT0|r(b)|\nT0|w(b)|\nT0|rcv(m)|\nT0|w(b)|\n"
			"T0|snd(m)|\nT0|w(b)|\nT0|alloc(b)|\nT0|w(b)|\n");
	assert_false(got(&s, 40));
	assert_true(got(&s, 41) && got(&s, 42));
	assert_false(got(&s, 44));
	assert_true(got(&s, 46) && got(&s, 48));
	scene_close(&s);
}

/* One round of a thread: n locks, x = x + 1. */
static void play_round(struct scene *s, int t, char set, int locks)
{
	for (int k = 0; k < locks; k++)
		play_format(s, "T%d|acq(%c%d)|\n", t, set, k);
	play_format(s, "T%d|r(x)|7\nT%d|w(x)|7\n", t, t);
	for (int k = 0; k < locks; k++)
		play_format(s, "T%d|rel(%c%d)|\n", t, set, k);
}

/* Common locks: two threads pass once, and the share that is dropped nears 1. */
static void test_figure_5_1(void **state)
{
	(void)state;
	enum { WORKERS = 4, LOCKS = 2 };
	struct scene s;
	for (int rounds = 2; rounds <= 32; rounds *= 4) {
		scene_open(&s, &recorder, &dh_filter_tree);
		for (int t = 1; t <= WORKERS; t++)
			play_format(&s, "T0|fork(T%d)|\n", t);
		for (int i = 0; i < rounds * WORKERS; i++)
			play_round(&s, 1 + i % WORKERS, 'L', LOCKS);
		uint64_t seen = (uint64_t)rounds * WORKERS * 2;
		assert_counts(&s, seen, (uint64_t)(rounds - 1) * WORKERS * 2,
			      (WORKERS - 2) * 2);
		assert_true(scene_counter(&s, "filter_dropped") >= seen - 4);
		scene_close(&s);
	}
}

/* Private locks, and T0 writes between forks: each context is new, once. */
static void test_figure_5_3(void **state)
{
	(void)state;
	enum { WORKERS = 4, LOCKS = 2 };
	struct scene s;
	for (int rounds = 2; rounds <= 32; rounds *= 4) {
		scene_open(&s, &recorder, &dh_filter_tree);
		for (int t = 1; t <= WORKERS; t++)
			play_format(&s, "T0|r(x)|1\nT0|w(x)|1\nT0|fork(T%d)|\n", t);
		for (int i = 0; i < rounds * WORKERS; i++)
			play_round(&s, 1 + i % WORKERS, "ABCD"[i % WORKERS], LOCKS);
		assert_counts(&s, WORKERS * 2 * (uint64_t)(rounds + 1),
			      WORKERS * 2 * (uint64_t)(rounds - 1), 0);
		scene_close(&s);
	}
}

/* ---- what the rules lose as printed ---- */

/* A lock that was released is forgotten: T1's second write looks like its first, and
 * is the one that races by strong. */
static void test_strict_counterexample(void **state)
{
	(void)state;
	static const char lines[] = "T1|acq(L)|\nT1|w(x)|1\nT1|rel(L)|\n"
				    "T2|acq(L)|\nT2|rel(L)|\n"
				    "T1|acq(L)|\nT1|w(x)|1\nT1|rel(L)|\n"
				    "T2|w(x)|2\n";
	struct scene s;
	scene_open(&s, &pairs, &dh_filter_tree);
	scene_play(&s, lines);
	assert_counts(&s, 3, 1, 0);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
	scene_open(&s, &pairs, &dh_filter_tree_strict);
	scene_play(&s, lines);
	assert_counts(&s, 3, 0, 0);
	assert_true(scene_has(&s, "x", 6, 8));
	scene_close(&s);
}

/* Two members are joined, and the third reader is the only one left to race. */
static void test_future_counterexample(void **state)
{
	(void)state;
	const struct dh_filter_ops *filters[] = {&dh_filter_tree, &dh_filter_tree_strict};
	struct scene s;
	for (int i = 0; i < 2; i++) {
		scene_open(&s, &pairs, filters[i]);
		scene_play(&s, "T0|fork(T1)|\nT0|fork(T2)|\nT0|fork(T3)|\n"
			       "T1|r(x)|1\nT2|r(x)|1\nT3|r(x)|1\n");
		assert_counts(&s, 3, 0, 1);
		scene_play(&s, "T0|join(T1)|\nT0|join(T2)|\nT0|w(x)|2\n");
		assert_counts(&s, 4, 0, 0);
		assert_int_equal(scene_counter(&s, "parked_forwarded"), 1);
		assert_true(scene_has(&s, "x", 5, 8));
		scene_close(&s);
	}
}

/* Two members were started after the write, the third reader before it. */
static void test_past_counterexample(void **state)
{
	(void)state;
	const struct dh_filter_ops *filters[] = {&dh_filter_tree, &dh_filter_tree_strict};
	struct scene s;
	for (int i = 0; i < 2; i++) {
		scene_open(&s, &pairs, filters[i]);
		scene_play(&s, "T0|fork(T1)|\nT0|w(x)|2\nT0|fork(T2)|\nT0|fork(T3)|\n"
			       "T2|r(x)|1\nT3|r(x)|1\nT1|r(x)|1\n");
		assert_counts(&s, 4, 0, 0);
		assert_true(scene_has(&s, "x", 1, 6));
		scene_close(&s);
	}
}

/* Figure 2 forgets A when T1 comes with B, so the return to A is not redundant. */
static void test_guard(void **state)
{
	(void)state;
	static const char alone[] = "T0|fork(T1)|\n"
				    "T0|acq(A)|\nT0|w(x)|1\nT0|rel(A)|\n"
				    "T0|acq(B)|\nT0|w(x)|2\nT0|rel(B)|\n"
				    "T0|acq(A)|\nT0|w(x)|1\nT0|rel(A)|\n";
	struct scene s;
	/* T0's last write waits, and goes first when T1 comes with B. */
	scene_open(&s, &figure2, &dh_filter_tree);
	scene_play(&s, alone);
	assert_counts(&s, 3, 1, 0);
	scene_play(&s, "T1|acq(B)|\nT1|w(x)|3\n");
	assert_counts(&s, 4, 0, 0);
	assert_true(scene_has(&s, "x", -1, 11));
	scene_close(&s);
	/* With another lock it makes no difference, and T0's return to B neither. */
	scene_open(&s, &figure2, &dh_filter_tree);
	scene_play(&s, alone);
	scene_play(&s, "T1|acq(C)|\nT1|w(x)|3\n");
	assert_counts(&s, 4, 1, 0);
	assert_true(scene_has(&s, "x", -1, 11));
	scene_close(&s);
	scene_open(&s, &figure2, &dh_filter_tree);
	scene_play(&s, alone);
	scene_play(&s, "T0|acq(B)|\nT0|w(x)|2\nT0|rel(B)|\nT1|acq(B)|\nT1|w(x)|3\n");
	assert_counts(&s, 5, 2, 0);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
	/* A receive without news forwards it, in the same frame: then it is B that waits,
	 * and matters to T1 with A. */
	scene_open(&s, &figure2, &dh_filter_tree);
	scene_play(&s, alone);
	scene_play(&s, "T0|rcv(m)|\nT0|acq(B)|\nT0|w(x)|2\nT0|rel(B)|\n"
		       "T1|acq(A)|\nT1|w(x)|3\n");
	assert_counts(&s, 5, 0, 0);
	assert_true(scene_has(&s, "x", -1, 15));
	scene_close(&s);
	/* Shared under B: T0's return to A is what Figure 2 reports. */
	scene_open(&s, &figure2, &dh_filter_tree);
	scene_play(&s, "T0|fork(T1)|\n"
		       "T0|acq(A)|\nT0|w(x)|1\nT0|rel(A)|\n"
		       "T0|acq(B)|\nT0|w(x)|2\nT0|rel(B)|\n"
		       "T1|acq(B)|\nT1|w(x)|3\nT1|rel(B)|\n"
		       "T0|acq(A)|\nT0|w(x)|1\n");
	assert_counts(&s, 4, 0, 0);
	assert_true(scene_has(&s, "x", -1, 11));
	scene_close(&s);
}

/* ---- contexts ---- */

/* In tree-strict, news in the weak relation alone makes a new frame, and a member's
 * knowledge counts in both relations. */
static void test_strict_weak_news(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree_strict);
	scene_play(&s, "T1|acq(L)|\nT1|snd(m)|\nT1|rel(L)|\n"
		       "T2|acq(L)|\nT2|r(x)|a\nT2|r(x)|a\nT2|rcv(m)|\nT2|r(x)|a\n");
	assert_true(got(&s, 4) && !got(&s, 5) && got(&s, 7));
	scene_close(&s);
	/* T2 and T3 know of T1's first step by weak, T4 by strong alone. */
	scene_open(&s, &recorder, &dh_filter_tree_strict);
	scene_play(&s, "T1|w(x)|\nT1|fork(T2)|\nT1|fork(T3)|\n"
		       "T1|acq(L)|\nT1|rel(L)|\nT4|acq(L)|\nT4|rel(L)|\n"
		       "T2|r(x)|a\nT3|r(x)|a\nT4|r(x)|a\n");
	assert_true(got(&s, 7) && got(&s, 8) && got(&s, 9));
	scene_close(&s);
}

/* Two contexts at one location have a stack each while they are alive. */
static void test_two_contexts(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, "T0|snd(m)|\nT4|rcv(m)|\nT5|rcv(m)|\nT6|rcv(m)|\n"
		       "T1|r(x)|a\nT4|r(x)|a\nT2|r(x)|a\nT5|r(x)|a\n"
		       "T3|r(x)|a\nT6|r(x)|a\n");
	assert_counts(&s, 6, 0, 2);
	assert_true(!got(&s, 8) && !got(&s, 9));
	scene_close(&s);
}

static void test_lock_modes(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, "T1|acq(l)|\nT1|w(x)|a\nT1|r(x)|a\nT1|rel(l)|\n"
		       "T1|rdacq(l)|\nT1|w(x)|a\nT1|r(x)|a\nT1|rdrel(l)|\n");
	assert_true(got(&s, 1) && got(&s, 2) && got(&s, 5) && got(&s, 6));
	assert_counts(&s, 4, 0, 0);
	scene_close(&s);
}

static void test_no_site(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, "T1|r(x)|\nT1|r(x)|\nT2|r(x)|\nT3|r(x)|\n");
	assert_counts(&s, 4, 0, 0);
	scene_close(&s);
}

static void test_alloc(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	scene_play(&s, "T1|r(x)|a\nT1|r(x)|a\nT1|r(y)|a\nT2|alloc(x)|\n"
		       "T1|r(x)|a\nT1|r(x)|a\nT1|r(y)|a\n");
	assert_true(got(&s, 4) && !got(&s, 1) && !got(&s, 5) && !got(&s, 6));
	scene_close(&s);
}

/* ---- bounded memory ---- */

static void test_eviction(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &recorder, &dh_filter_tree);
	s.filter->limit = 2;
	scene_play(&s, "T1|r(x)|a\nT1|r(x)|a\nT1|r(x)|b\nT1|r(x)|a\n");
	assert_true(got(&s, 0) && !got(&s, 1) && got(&s, 2) && got(&s, 3));
	assert_int_equal(scene_counter(&s, "evicted"), 4);
	assert_int_equal(scene_counter(&s, "histories"), 2);
	scene_close(&s);
	scene_open(&s, &recorder, &dh_filter_span);
	s.filter->limit = 1;
	scene_play(&s, "T1|r(x)|\nT1|r(x)|\nT1|r(y)|\nT1|r(x)|\n");
	assert_true(got(&s, 0) && !got(&s, 1) && got(&s, 2) && got(&s, 3));
	assert_int_equal(scene_counter(&s, "evicted"), 2);
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure_3_1),
	    cmocka_unit_test(test_figure_3_2),
	    cmocka_unit_test(test_figure_3_3),
	    cmocka_unit_test(test_figure_3_4),
	    cmocka_unit_test(test_figure_3_4_races),
	    cmocka_unit_test(test_figure_3_7),
	    cmocka_unit_test(test_figure_5_1),
	    cmocka_unit_test(test_figure_5_3),
	    cmocka_unit_test(test_strict_counterexample),
	    cmocka_unit_test(test_future_counterexample),
	    cmocka_unit_test(test_past_counterexample),
	    cmocka_unit_test(test_guard),
	    cmocka_unit_test(test_strict_weak_news),
	    cmocka_unit_test(test_two_contexts),
	    cmocka_unit_test(test_lock_modes),
	    cmocka_unit_test(test_no_site),
	    cmocka_unit_test(test_alloc),
	    cmocka_unit_test(test_eviction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
