/* SPDX-License-Identifier: MIT */
/* What calls reach (predict/reach.h): random sets that come and go, against one bit for
 * each variable; and what windows are told. */
#include "predict/window.h"
#include "dice.h"

enum { USES = 24, VARS = 64, ROUNDS = 4000 };

/* Some variables, as one bit each. */
static uint64_t some_set(struct dice *d)
{
	uint64_t set = 0;
	for (uint32_t n = 1 + dice_roll(d, 20); n > 0; n--)
		set |= (uint64_t)1 << dice_roll(d, VARS);
	return set;
}

/* In some order, and here and there twice. */
static uint32_t use(struct dh_reach *r, struct dice *d, uint64_t set)
{
	uint32_t vars[3 * VARS], count = 0;
	uint32_t from = dice_roll(d, VARS);
	for (uint32_t i = 0; i < VARS; i++) {
		uint32_t v = (from + i) % VARS;
		for (uint32_t n = 1 + dice_roll(d, 10) / 9; set >> v & 1 && n > 0; n--)
			vars[count++] = v;
	}
	return dh_reach_use(r, vars, count);
}

/* The uses that there are: a set, and the number that it was given. */
struct model {
	uint64_t sets[USES];
	uint32_t numbers[USES];
};

static bool told(const struct dh_reach_lists *lists, const struct dh_reach_pool *pool,
		 uint32_t set, uint32_t class)
{
	for (uint32_t i = 0; i < lists->at[set].count; i++)
		if (pool->at[lists->at[set].at + i] == class)
			return true;
	return false;
}

static void check_sets(struct dh_reach *r, const struct model *m)
{
	struct dh_reach_lists lists = {0};
	struct dh_reach_pool pool = {0};
	uint64_t kinds[VARS + 1];
	uint32_t count = 0;
	dh_reach_tell(r, &lists, &pool);
	for (uint32_t v = 0; v < VARS; v++) {
		uint32_t class = dh_reach_class(r, v), kind = 0;
		uint64_t in = 0;
		for (uint32_t u = 0; u < USES; u++) {
			if (!m->numbers[u])
				continue;
			bool inside = m->sets[u] >> v & 1;
			in |= (uint64_t)inside << u;
			assert_true(told(&lists, &pool, m->numbers[u], class) == inside);
		}
		assert_true((class != 0) == (in != 0));
		while (kind < count && kinds[kind] != in)
			kind++;
		kinds[kind] = in;
		count += kind == count && in;
	}
	assert_true(r->live.len == count); /* no class more than there must be */
	dh_vec_free(&lists);
	dh_vec_free(&pool);
}

static void sets_come_and_go(void **state)
{
	(void)state;
	struct dice d = {.state = 11};
	struct dh_reach r = {0};
	struct model m = {0};
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t u = dice_roll(&d, USES), other = dice_roll(&d, USES);
		dh_reach_drop(&r, m.numbers[u]);
		m.numbers[u] = 0;
		if (dice_chance(&d, 60)) {
			bool again = m.numbers[other] && dice_chance(&d, 40);
			m.sets[u] = again ? m.sets[other] : some_set(&d);
			m.numbers[u] = use(&r, &d, m.sets[u]);
		}
		if (dice_chance(&d, 30)) {
			dh_reach_tidy(&r);
			check_sets(&r, &m);
		}
	}
	assert_true(r.sets.len <= 2 * USES + 1); /* numbers are used again */
	dh_reach_free(&r);
}

/* Two sets that have one hash are two. */
static void hashes_may_collide(void **state)
{
	(void)state;
	struct dh_reach r = {0};
	uint32_t one[] = {1, 2}, other[] = {2, 3};
	uint32_t first = dh_reach_use(&r, one, 2), second = dh_reach_use(&r, other, 2);
	*dh_map_put(&r.by_hash, r.sets.at[second].hash, NULL) = first;
	uint32_t third = dh_reach_use(&r, other, 2);
	assert_true(third != first && third != second);
	dh_reach_free(&r);
}

/* New numbers for classes, when many are spent. */
static void classes_stay_few(void **state)
{
	(void)state;
	struct dh_reach r = {0};
	uint32_t large[500];
	for (uint32_t i = 0; i < DH_ARRAY_LEN(large); i++)
		large[i] = i;
	uint32_t all = dh_reach_use(&r, large, DH_ARRAY_LEN(large));
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t part = dh_reach_use(&r, large + i % 400, 1 + i % 100);
		assert_true(dh_reach_class(&r, i % 400) != dh_reach_class(&r, 499));
		dh_reach_drop(&r, part);
		dh_reach_tidy(&r);
		assert_true(dh_reach_class(&r, 0) == dh_reach_class(&r, 499));
	}
	assert_true(r.classes.len < 2000 && r.live.len == 1 && r.sets.at[all].uses == 1);
	dh_reach_free(&r);
}

/* A hundred calls that reach the same thousand variables, one that reaches two of them,
 * and an access to one of these: the window has two classes. */
static void windows_have_classes(void **state)
{
	(void)state;
	struct dh_slider s;
	uint32_t vars[1000];
	for (uint32_t i = 0; i < DH_ARRAY_LEN(vars); i++)
		vars[i] = i;
	struct dh_event call = {
	    .op = DH_METHOD_BEGIN, .reach = vars, .reach_count = DH_ARRAY_LEN(vars)};
	struct dh_event few = {
	    .op = DH_METHOD_BEGIN, .reach = vars + 500, .reach_count = 2};
	struct dh_event use = {.op = DH_WRITE, .target = 500};
	dh_slider_init(&s, 200, 100);
	for (int i = 0; i < 100; i++)
		dh_slider_feed(&s, &call);
	dh_slider_feed(&s, &few);
	dh_slider_feed(&s, &use);
	struct dh_window *w = dh_slider_finish(&s);
	const struct dh_step *at = w->steps.at;
	assert_int_equal(w->reach.len, 3);
	assert_int_equal(at[0].reach, at[99].reach);
	assert_int_equal(w->sets.at[at[0].reach].count, 2);
	assert_int_equal(w->sets.at[at[100].reach].count, 1);
	assert_int_equal(w->reach.at[w->sets.at[at[100].reach].at], at[101].reach);
	dh_window_free(w);
	dh_slider_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sets_come_and_go),
	    cmocka_unit_test(hashes_may_collide),
	    cmocka_unit_test(classes_stay_few),
	    cmocka_unit_test(windows_have_classes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
