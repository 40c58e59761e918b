/* SPDX-License-Identifier: MIT */
/* Bounded vector clocks (RaceTrack, section 3.5) against a list in order of age. */
#include "dice.h"
#include "clock/bounded.h"
#include "clock/vc.h"

#include <string.h>

enum { MOST = 64 };

/* Entries from the oldest to the youngest. */
struct model {
	uint32_t slot[MOST], clock[MOST], len, limit;
	uint64_t dropped;
};

static uint32_t model_find(const struct model *m, uint32_t slot)
{
	uint32_t i = 0;
	while (i < m->len && m->slot[i] != slot)
		i++;
	return i;
}

static void model_take(struct model *m, uint32_t i, uint32_t n)
{
	m->len -= n;
	memmove(m->slot + i, m->slot + i + n, (m->len - i) * sizeof *m->slot);
	memmove(m->clock + i, m->clock + i + n, (m->len - i) * sizeof *m->clock);
}

static bool model_raise(struct model *m, uint32_t slot, uint32_t clock)
{
	uint32_t i = model_find(m, slot);
	if (i < m->len) {
		if (m->clock[i] >= clock)
			return false;
		model_take(m, i, 1);
	} else if (clock == 0) {
		return false;
	} else if (m->len == m->limit) {
		m->dropped += m->len / 2;
		model_take(m, 0, m->len / 2);
	}
	m->slot[m->len] = slot;
	m->clock[m->len++] = clock;
	return true;
}

static void compare(const struct dh_bounded *b, const struct model *m)
{
	assert_int_equal(b->entries.len, m->len);
	assert_int_equal(b->dropped, m->dropped);
	for (uint32_t s = 0; s < MOST; s++) {
		uint32_t i = model_find(m, s);
		assert_int_equal(dh_bounded_get(b, s), i < m->len ? m->clock[i] : 0);
	}
	for (size_t i = 1; i < b->entries.len; i++)
		assert_true(b->entries.at[i - 1].slot < b->entries.at[i].slot);
}

static void test_random(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct dice d = {seed};
		struct dh_bounded b;
		struct model m = {.limit = 2 + dice_roll(&d, 15)};
		dh_bounded_init(&b, m.limit);
		for (int step = 0; step < 200; step++) {
			uint32_t slot = dice_roll(&d, 30), clock = dice_roll(&d, 20);
			assert_int_equal(dh_bounded_raise(&b, slot, clock),
					 model_raise(&m, slot, clock));
			compare(&b, &m);
		}
		dh_bounded_free(&b);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_join(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct dice d = {seed};
		struct dh_bounded b;
		struct dh_vc *v = NULL;
		struct model m = {.limit = 2 + dice_roll(&d, 8)};
		dh_bounded_init(&b, m.limit);
		assert_false(dh_bounded_join(&b, NULL));
		for (int round = 0; round < 5; round++) {
			bool changed = false;
			for (int i = 0; i < 4; i++)
				dh_vc_set(&v, dice_roll(&d, 12), 1 + dice_roll(&d, 9));
			for (uint32_t s = 0; s < v->len; s++)
				changed |= model_raise(&m, s, v->clock[s]);
			assert_int_equal(dh_bounded_join(&b, v), changed);
			compare(&b, &m);
		}
		dh_vc_unref(v);
		dh_bounded_free(&b);
	}
}

/* The paper's limit: the 8193rd entry pushes out the 4096 oldest. */
static void test_paper_limit(void **state)
{
	(void)state;
	enum { LIMIT = 8192 };
	struct dh_bounded b;
	dh_bounded_init(&b, LIMIT);
	for (uint32_t s = 0; s < LIMIT; s++)
		dh_bounded_raise(&b, s, 1);
	assert_int_equal(b.entries.len, LIMIT);
	assert_int_equal(b.dropped, 0);
	for (uint32_t s = 0; s < 100; s++)
		dh_bounded_raise(&b, s, 2); /* the first hundred are young again */
	dh_bounded_raise(&b, LIMIT, 7);
	assert_int_equal(b.entries.len, LIMIT / 2 + 1);
	assert_int_equal(b.dropped, LIMIT / 2);
	assert_int_equal(dh_bounded_get(&b, 0), 2);
	assert_int_equal(dh_bounded_get(&b, 99), 2);
	assert_int_equal(dh_bounded_get(&b, 100), 0);
	assert_int_equal(dh_bounded_get(&b, LIMIT / 2 + 99), 0);
	assert_int_equal(dh_bounded_get(&b, LIMIT / 2 + 100), 1);
	assert_int_equal(dh_bounded_get(&b, LIMIT), 7);
	dh_bounded_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_join),
	    cmocka_unit_test(test_paper_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
