/* SPDX-License-Identifier: MIT */
/* What calls reach, thinned out (predict/thin.h): random windows, before and after. */
#include "predict/thin.h"
#include "dice.h"

enum { CALLS = 12, ACCESSES = 6, VARS = 64 };

/* Some variables, as one bit each. */
static uint64_t some_set(struct dice *d)
{
	uint64_t set = 0;
	for (uint32_t n = dice_roll(d, 20); n > 0; n--)
		set |= (uint64_t)1 << dice_roll(d, VARS);
	return set;
}

static void feed_call(struct dh_slider *s, uint32_t thread, uint64_t set)
{
	uint32_t vars[VARS], count = 0;
	for (uint32_t v = 0; v < VARS; v++)
		if (set >> v & 1)
			vars[count++] = v;
	struct dh_event ev = {
	    .thread = thread, .op = DH_METHOD_BEGIN, .reach = vars, .reach_count = count};
	dh_slider_feed(s, &ev);
}

static uint64_t set_of(const struct dh_window *w, uint32_t step)
{
	uint64_t set = 0;
	const struct dh_step *s = &w->steps.at[step];
	for (uint32_t i = 0; i < s->reach_count; i++)
		set |= (uint64_t)1 << w->reach.at[s->reach_at + i];
	return set;
}

static void thin_once(struct dice *d)
{
	struct dh_slider s;
	uint64_t sets[CALLS], accessed = 0;
	dh_slider_init(&s, CALLS + ACCESSES + 1, 1);
	for (uint32_t i = 0; i < CALLS; i++) {
		sets[i] = i && dice_roll(d, 3) == 0 ? sets[dice_roll(d, i)] : some_set(d);
		feed_call(&s, i % 3, sets[i]);
	}
	for (uint32_t i = 0; i < ACCESSES; i++) {
		struct dh_event ev = {.op = DH_READ, .target = dice_roll(d, VARS)};
		accessed |= (uint64_t)1 << ev.target;
		dh_slider_feed(&s, &ev);
	}
	struct dh_window *w = dh_slider_finish(&s);
	for (uint32_t i = 0; i < CALLS; i++)
		assert_true(set_of(w, i) == sets[i]);
	dh_window_thin(w);
	for (uint32_t i = 0; i < CALLS; i++) {
		uint64_t now = set_of(w, i);
		assert_true((now & ~sets[i]) == 0);
		assert_true((now & accessed) == (sets[i] & accessed));
		for (uint32_t k = 0; k < CALLS; k++)
			assert_int_equal((now & set_of(w, k)) != 0,
					 (sets[i] & sets[k]) != 0);
	}
	dh_window_free(w);
	dh_slider_free(&s);
}

static void keeps_what_matters(void **state)
{
	(void)state;
	struct dice d = {.state = 7};
	for (int i = 0; i < 2000; i++)
		thin_once(&d);
}

/* A hundred calls that reach the same thousand variables, and one of them is used. */
static void few_are_left(void **state)
{
	(void)state;
	struct dh_slider s;
	uint32_t vars[1000];
	for (uint32_t i = 0; i < DH_ARRAY_LEN(vars); i++)
		vars[i] = i;
	struct dh_event call = {
	    .op = DH_METHOD_BEGIN, .reach = vars, .reach_count = DH_ARRAY_LEN(vars)};
	struct dh_event use = {.op = DH_WRITE, .target = 500};
	dh_slider_init(&s, 200, 100);
	for (int i = 0; i < 100; i++)
		dh_slider_feed(&s, &call);
	dh_slider_feed(&s, &use);
	struct dh_window *w = dh_slider_finish(&s);
	assert_int_equal(w->reach.len, DH_ARRAY_LEN(vars));
	dh_window_thin(w);
	assert_int_equal(w->reach.len, 2);
	dh_window_free(w);
	dh_slider_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_what_matters),
	    cmocka_unit_test(few_are_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
