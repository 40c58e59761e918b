/* SPDX-License-Identifier: MIT */
/* Interned threadsets: one number per content, counts, reclamation; against a list. */
#include "dice.h"
#include "base/mem.h"
#include "lockset/threadset.h"

#include <string.h>

enum { SLOTS = 4, CLOCKS = 3, CONTENTS = 256 }; /* (CLOCKS + 1) ^ SLOTS */

/* Content number c: in base 4, digit i is the clock of slot 10 * i, 0 for none. */
static uint32_t labels_of(uint32_t c, struct dh_label *out)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < SLOTS; i++, c /= CLOCKS + 1)
		if (c % (CLOCKS + 1))
			out[n++] = (struct dh_label){10 * i, c % (CLOCKS + 1)};
	return n;
}

static dh_threadset make(struct dh_threadset_table *t, uint32_t c)
{
	struct dh_label labels[SLOTS];
	uint32_t n = labels_of(c, labels);
	return dh_threadset_make(t, labels, n);
}

static void expect(struct dh_threadset_table *t, dh_threadset s, uint32_t c)
{
	struct dh_label want[SLOTS];
	uint32_t n = labels_of(c, want), count;
	const struct dh_label *got = dh_threadset_items(t, s, &count);
	assert_int_equal(count, n);
	if (n)
		assert_memory_equal(got, want, n * sizeof *want);
}

static void test_empty(void **state)
{
	(void)state;
	struct dh_threadset_table *t = dh_threadset_table_new();
	assert_int_equal(dh_threadset_make(t, NULL, 0), DH_THREADSET_EMPTY);
	assert_int_equal(dh_threadset_ref(t, DH_THREADSET_EMPTY), DH_THREADSET_EMPTY);
	dh_threadset_unref(t, DH_THREADSET_EMPTY);
	expect(t, DH_THREADSET_EMPTY, 0);
	assert_int_equal(dh_threadset_reclaim(t), 0);
	dh_threadset_table_free(t);
}

static void test_revival(void **state)
{
	(void)state;
	struct dh_threadset_table *t = dh_threadset_table_new();
	dh_threadset a = make(t, 27);
	dh_threadset_unref(t, a);
	assert_int_equal(dh_threadset_garbage(t), 1);
	assert_int_equal(make(t, 27), a); /* it comes back */
	assert_int_equal(dh_threadset_garbage(t), 0);
	assert_int_equal(dh_threadset_reclaim(t), 0);
	expect(t, a, 27);
	dh_threadset_unref(t, a);
	assert_int_equal(dh_threadset_reclaim(t), 1);
	assert_int_equal(dh_threadset_garbage(t), 0);
	assert_int_equal(make(t, 30), a); /* its number serves another */
	expect(t, a, 30);
	struct dh_threadset_stats s;
	dh_threadset_get_stats(t, &s);
	assert_int_equal(s.live, 1);
	assert_int_equal(s.kept, 1);
	assert_int_equal(s.inserted, 2);
	assert_int_equal(s.reclaimed, 1);
	dh_threadset_table_free(t); /* with a reference still held */
}

struct model {
	uint32_t refs[CONTENTS];
	bool kept[CONTENTS];
	dh_threadset number[CONTENTS]; /* while kept */
	uint64_t inserted, reclaimed;
};

static void compare(struct dh_threadset_table *t, const struct model *m)
{
	uint64_t live = 0, kept = 0;
	for (uint32_t c = 1; c < CONTENTS; c++) {
		live += m->refs[c] > 0;
		kept += m->kept[c];
		if (m->refs[c])
			expect(t, m->number[c], c);
	}
	struct dh_threadset_stats s;
	dh_threadset_get_stats(t, &s);
	assert_int_equal(s.live, live);
	assert_int_equal(s.kept, kept);
	assert_int_equal(s.inserted, m->inserted);
	assert_int_equal(s.reclaimed, m->reclaimed);
	assert_int_equal(dh_threadset_garbage(t), kept - live);
}

static void step_make(struct dh_threadset_table *t, struct model *m, uint32_t c)
{
	dh_threadset s = make(t, c);
	if (m->kept[c])
		assert_int_equal(s, m->number[c]);
	for (uint32_t i = 1; i < CONTENTS; i++) /* no number for two contents */
		assert_true(i == c || !m->kept[i] || m->number[i] != s);
	m->inserted += !m->kept[c];
	m->kept[c] = true;
	m->number[c] = s;
	m->refs[c]++;
}

static void step_reclaim(struct dh_threadset_table *t, struct model *m)
{
	uint64_t swept = 0;
	for (uint32_t c = 1; c < CONTENTS; c++) {
		if (!m->kept[c] || m->refs[c])
			continue;
		m->kept[c] = false;
		swept++;
	}
	m->reclaimed += swept;
	assert_int_equal(dh_threadset_reclaim(t), swept);
}

static void test_random(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct dice d = {seed};
		static struct model m;
		memset(&m, 0, sizeof m);
		struct dh_threadset_table *t = dh_threadset_table_new();
		for (int step = 0; step < 3000; step++) {
			uint32_t c = 1 + dice_roll(&d, CONTENTS - 1);
			uint32_t what = dice_roll(&d, 100);
			if (what < 45) {
				step_make(t, &m, c);
			} else if (what < 50 && m.refs[c]) {
				dh_threadset_ref(t, m.number[c]);
				m.refs[c]++;
			} else if (what < 98 && m.refs[c]) {
				dh_threadset_unref(t, m.number[c]);
				m.refs[c]--;
			} else if (what >= 98) {
				step_reclaim(t, &m);
			}
			if (step % 20 == 0)
				compare(t, &m);
		}
		compare(t, &m);
		dh_threadset_table_free(t);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

/* A long run with few live sets needs few numbers and little memory. */
static void test_bounded_memory(void **state)
{
	(void)state;
	struct dh_threadset_table *t = dh_threadset_table_new();
	struct dh_threadset_stats s;
	uint64_t most = 0;
	for (uint32_t i = 1; i <= 100000; i++) {
		struct dh_label l[2] = {{0, i}, {1, i / 2 + 1}};
		dh_threadset set = dh_threadset_make(t, l, 2);
		assert_true(set <= 1001);
		dh_threadset_unref(t, set);
		if (dh_threadset_garbage(t) < 1000)
			continue;
		dh_threadset_get_stats(t, &s);
		most = DH_MAX(most, s.bytes);
		assert_int_equal(dh_threadset_reclaim(t), 1000);
	}
	assert_in_range(most, 1, 128 << 10);
	dh_threadset_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_revival),
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_bounded_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
