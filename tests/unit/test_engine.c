/* SPDX-License-Identifier: MIT */
/*
 * What engine.h promises to every engine: cells that stay where they are, and reports
 * in order and without repeats.
 */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_null;

/* ---- cells ---- */

static uint32_t last_value;

static void ascends(void *context, void *cell)
{
	uint32_t value = *(uint32_t *)cell;
	++*(unsigned *)context;
	if (!value)
		return;
	assert_true(value > last_value);
	last_value = value;
}

/* Cells are zero at first, never move, and are all visited, in order. */
static void cells(void **state)
{
	(void)state;
	static const uint32_t numbers[] = {5, 100000, 0, 511, 512, 3000000, 6};
	struct dh_cells c = {.cell_size = 12};
	uint32_t *at[DH_ARRAY_LEN(numbers)];
	for (size_t i = 0; i < DH_ARRAY_LEN(numbers); i++) {
		at[i] = dh_cells_get(&c, numbers[i]);
		assert_int_equal(at[i][0] | at[i][1] | at[i][2], 0);
		at[i][0] = at[i][1] = at[i][2] = numbers[i] + 1;
	}
	for (size_t i = 0; i < DH_ARRAY_LEN(numbers); i++) {
		assert_ptr_equal(dh_cells_get(&c, numbers[i]), at[i]);
		assert_int_equal(at[i][0], numbers[i] + 1);
		assert_int_equal(at[i][2], numbers[i] + 1);
	}
	unsigned visited = 0;
	last_value = 0;
	dh_cells_each(&c, ascends, &visited);
	assert_int_equal(last_value, 3000001);
	assert_true(visited >= DH_ARRAY_LEN(numbers));
	dh_cells_free(&c);
	visited = 0;
	dh_cells_each(&c, ascends, &visited);
	assert_int_equal(visited, 0);
}

/* ---- reports ---- */

static struct dh_race plain_race(void)
{
	return (struct dh_race){.var = 1,
				.grade = DH_POTENTIAL,
				.has_first = true,
				.first_write = true,
				.second_write = true,
				.first = {.index = 10, .thread = 1, .site = 5},
				.second = {.index = 20, .thread = 2, .site = 6}};
}

/* States a race; true where it was passed on. */
static bool told(struct scene *s, const struct dh_race *r)
{
	uint64_t before = s->engine->races;
	unsigned count = s->race_count;
	dh_engine_report(s->engine, r);
	assert_int_equal(s->race_count - count, s->engine->races - before);
	return s->race_count > count;
}

/* A repeat has the same variable, sites (in this order), kinds and grade; when it was
 * and which threads it was do not matter. */
static void repeats_are_taken_out(void **state)
{
	(void)state;
	struct scene s;
	struct dh_race r = plain_race();
	scene_open(&s, &dh_engine_null, NULL);
	assert_true(told(&s, &r));
	assert_false(told(&s, &r));
	r.first.index = 30, r.second.index = 40;
	r.first.thread = 3, r.second.thread = 4;
	r.has_distance = true, r.distance = 9;
	assert_false(told(&s, &r));

	r = plain_race(), r.var = 2;
	assert_true(told(&s, &r));
	r = plain_race(), r.first.site = 7;
	assert_true(told(&s, &r));
	r = plain_race(), r.second.site = 7;
	assert_true(told(&s, &r));
	r = plain_race(), r.first.site = 6, r.second.site = 5; /* the other way round */
	assert_true(told(&s, &r));
	r = plain_race(), r.first_write = false;
	assert_true(told(&s, &r));
	r = plain_race(), r.second_write = false;
	assert_true(told(&s, &r));
	r = plain_race(), r.grade = DH_OBSERVED;
	assert_true(told(&s, &r));
	r = plain_race(), r.has_first = false;
	assert_true(told(&s, &r));

	r = plain_race();
	assert_false(told(&s, &r));
	assert_int_equal(s.engine->races, 9);
	scene_close(&s);
}

/* Accesses without a site are alike; variables are not. */
static void repeats_without_sites(void **state)
{
	(void)state;
	struct scene s;
	struct dh_race r = plain_race();
	r.first.site = r.second.site = DH_SITE_NONE;
	scene_open(&s, &dh_engine_null, NULL);
	assert_true(told(&s, &r));
	r.second.index++;
	assert_false(told(&s, &r));
	r.var++;
	assert_true(told(&s, &r));
	scene_close(&s);
}

/* A late access may be judged after a later one: a report names the earlier first. */
static void report_is_put_in_order(void **state)
{
	(void)state;
	struct scene s;
	struct dh_race r = plain_race();
	scene_open(&s, &dh_engine_null, NULL);
	r.second_write = false;
	assert_true(told(&s, &r));
	struct dh_race turned = r;
	turned.first = r.second, turned.second = r.first;
	turned.first_write = false, turned.second_write = true;
	assert_false(told(&s, &turned)); /* the same as before */
	turned.var++;
	assert_true(told(&s, &turned));
	assert_int_equal(s.races[1].first.index, 10);
	assert_int_equal(s.races[1].first.site, 5);
	assert_int_equal(s.races[1].first.thread, 1);
	assert_true(s.races[1].first_write);
	assert_int_equal(s.races[1].second.index, 20);
	assert_false(s.races[1].second_write);
	turned.has_first = false; /* nothing to put in order */
	turned.second.index = 0;
	assert_true(told(&s, &turned));
	assert_int_equal(s.races[2].second.index, 0);
	scene_close(&s);
}

static void every_report_is_kept(void **state)
{
	(void)state;
	struct scene s;
	struct dh_engine_ops ops = dh_engine_null;
	struct dh_race r = plain_race();
	ops.every_report = true;
	scene_open(&s, &ops, NULL);
	assert_true(told(&s, &r));
	assert_true(told(&s, &r));
	assert_int_equal(s.engine->races, 2);
	scene_close(&s);
}

static void grades_have_names(void **state)
{
	(void)state;
	assert_string_equal(dh_grade_text(DH_OBSERVED), "observed");
	assert_string_equal(dh_grade_text(DH_POTENTIAL), "potential");
	assert_string_equal(dh_grade_text(DH_PREDICTED), "predicted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cells),
	    cmocka_unit_test(repeats_are_taken_out),
	    cmocka_unit_test(repeats_without_sites),
	    cmocka_unit_test(report_is_put_in_order),
	    cmocka_unit_test(every_report_is_kept),
	    cmocka_unit_test(grades_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
