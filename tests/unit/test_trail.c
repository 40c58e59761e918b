/* SPDX-License-Identifier: MIT */
/* Which earlier access a trail names, and with which grade. */
#include "engines/trail.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

static void note(struct dh_trail *trail, struct dh_thread *t, uint64_t index, bool write)
{
	struct dh_access a = {.index = index, .clock = t->party.clock, .write = write};
	dh_trail_note(trail, t, &a);
}

/* The race of an access with index 100. */
static struct dh_race rival(struct dh_trail *trail, struct dh_thread *t, bool write)
{
	struct dh_access a = {.index = 100, .clock = t->party.clock, .write = write};
	return dh_trail_race(trail, t, &a, true);
}

static void test_trail(void **state)
{
	(void)state;
	struct dh_thread t[3] = {0};
	for (uint32_t i = 0; i < 3; i++)
		t[i].party = (struct dh_party){.id = i, .slot = i, .clock = 1};
	struct dh_trail trail = {0};
	assert_false(rival(&trail, &t[0], true).has_first);
	note(&trail, &t[0], 1, true);
	assert_false(rival(&trail, &t[0], true).has_first);
	note(&trail, &t[0], 2, false);
	struct dh_race race = rival(&trail, &t[1], false);
	assert_true(race.has_first && race.first_write && race.first.index == 1);
	assert_int_equal(race.grade, DH_OBSERVED);
	assert_int_equal(rival(&trail, &t[1], true).first.index, 2);
	/* Another thread keeps both of the first one's steps, a third displaces them. */
	note(&trail, &t[1], 3, false);
	assert_int_equal(rival(&trail, &t[2], false).first.index, 1);
	note(&trail, &t[0], 4, false);
	assert_int_equal(rival(&trail, &t[1], false).first.index, 1);
	note(&trail, &t[2], 5, false);
	race = rival(&trail, &t[1], false);
	assert_true(race.has_first && race.first_write && race.first.index == 1);
	note(&trail, &t[1], 6, false);
	race = rival(&trail, &t[2], false);
	assert_true(race.has_first && !race.first_write && race.first.index == 6);
	assert_int_equal(race.grade, DH_POTENTIAL);
	/* Known to the thread: it conflicts, but is ordered. */
	dh_vc_set(&t[2].party.know[DH_STRONG].vc, 1, 1);
	race = rival(&trail, &t[2], true);
	assert_int_equal(race.first.index, 6);
	assert_int_equal(race.grade, DH_POTENTIAL);
	dh_vc_unref(t[2].party.know[DH_STRONG].vc);
}

/* An access that a filter held back: the later one of the thread stays, and what came
 * after it in the trace may have been ordered after it. */
static void test_late_access(void **state)
{
	(void)state;
	struct dh_thread t[2] = {0};
	for (uint32_t i = 0; i < 2; i++)
		t[i].party = (struct dh_party){.id = i, .slot = i, .clock = 1};
	struct dh_trail trail = {0};
	note(&trail, &t[0], 8, true);
	note(&trail, &t[0], 5, true);
	assert_int_equal(rival(&trail, &t[1], true).first.index, 8);
	struct dh_access late = {.index = 7, .clock = 1, .write = true};
	struct dh_race race = dh_trail_race(&trail, &t[1], &late, true);
	assert_int_equal(race.first.index, 8);
	assert_int_equal(race.grade, DH_POTENTIAL);
	late.index = 9;
	race = dh_trail_race(&trail, &t[1], &late, true);
	assert_int_equal(race.grade, DH_OBSERVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trail),
		cmocka_unit_test(test_late_access),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
