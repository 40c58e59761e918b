/* SPDX-License-Identifier: MIT */
/* Interned locksets against plain bit sets; and the index and memo beneath them. */
#include "dice.h"
#include "base/mem.h"
#include "lockset/index.h"
#include "lockset/lockset.h"
#include "lockset/memo.h"

/* The locks of the model: bit i is lock_id[i]. Ascending, with the extremes. */
static const uint32_t lock_id[] = {
    0, 1, 2, 3, 7, 8, 100, 65536, 1 << 24, 1u << 31, UINT32_MAX - 1, DH_READERS_LOCK};
enum { LOCKS = sizeof lock_id / sizeof *lock_id };

/* Is the set the one of these bits? */
static void expect(struct dh_lockset_table *t, dh_lockset set, uint32_t bits)
{
	uint32_t count, n = 0;
	const uint32_t *items = dh_lockset_items(t, set, &count);
	for (uint32_t i = 0; i < LOCKS; i++) {
		bool in = bits >> i & 1;
		assert_int_equal(dh_lockset_has(t, set, lock_id[i]), in);
		if (in) {
			assert_true(n < count);
			assert_int_equal(items[n++], lock_id[i]);
		}
	}
	assert_int_equal(n, count);
}

/* The set of these bits, put together in a random order. */
static dh_lockset build(struct dh_lockset_table *t, struct dice *d, uint32_t bits)
{
	dh_lockset set = DH_LOCKSET_EMPTY;
	for (uint32_t left = bits; left;) {
		uint32_t i = dice_roll(d, LOCKS);
		if (left >> i & 1)
			set = dh_lockset_add(t, set, lock_id[i]);
		left &= ~(1u << i);
	}
	return set;
}

static void test_empty(void **state)
{
	(void)state;
	struct dh_lockset_table *t = dh_lockset_table_new();
	struct dh_lockset_stats s;
	expect(t, DH_LOCKSET_EMPTY, 0);
	assert_int_equal(dh_lockset_remove(t, DH_LOCKSET_EMPTY, 5), DH_LOCKSET_EMPTY);
	dh_lockset one = dh_lockset_add(t, DH_LOCKSET_EMPTY, 0);
	assert_int_not_equal(one, DH_LOCKSET_EMPTY);
	assert_int_equal(dh_lockset_add(t, one, 0), one);
	assert_int_equal(dh_lockset_remove(t, one, 1), one);
	assert_int_equal(dh_lockset_remove(t, one, 0), DH_LOCKSET_EMPTY);
	assert_int_equal(dh_lockset_intersect(t, one, DH_LOCKSET_EMPTY),
			 DH_LOCKSET_EMPTY);
	dh_lockset_get_stats(t, &s);
	assert_int_equal(s.sets, 2);
	assert_int_equal(s.intersections, 0);
	dh_lockset_table_free(t);
}

static void test_all(void **state)
{
	(void)state;
	struct dh_lockset_table *t = dh_lockset_table_new();
	dh_lockset one = dh_lockset_add(t, DH_LOCKSET_EMPTY, 9);
	assert_int_equal(dh_lockset_intersect(t, DH_LOCKSET_ALL, one), one);
	assert_int_equal(dh_lockset_intersect(t, one, DH_LOCKSET_ALL), one);
	assert_int_equal(dh_lockset_intersect(t, DH_LOCKSET_ALL, DH_LOCKSET_EMPTY),
			 DH_LOCKSET_EMPTY);
	assert_int_equal(dh_lockset_intersect(t, DH_LOCKSET_ALL, DH_LOCKSET_ALL),
			 DH_LOCKSET_ALL);
	assert_true(dh_lockset_has(t, DH_LOCKSET_ALL, 12345));
	dh_lockset_table_free(t);
}

/* Every subset of the locks has one number, whatever the way to it. */
static void test_random(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	struct dice d = {7};
	struct dh_lockset_table *t = dh_lockset_table_new();
	static dh_lockset number[1 << LOCKS]; /* + 1; 0: not met yet */
	uint32_t distinct = 0;
	for (int step = 0; step < 20000; step++) {
		uint32_t x = dice_roll(&d, 1 << LOCKS), y = dice_roll(&d, 1 << LOCKS);
		dh_lockset a = build(t, &d, x), b = build(t, &d, y);
		uint32_t i = dice_roll(&d, LOCKS);
		dh_lockset results[] = {
		    a,
		    dh_lockset_intersect(t, a, b),
		    dh_lockset_intersect(t, b, a),
		    dh_lockset_add(t, a, lock_id[i]),
		    dh_lockset_remove(t, a, lock_id[i]),
		};
		uint32_t bits[] = {x, x & y, x & y, x | 1u << i, x & ~(1u << i)};
		for (size_t k = 0; k < DH_ARRAY_LEN(results); k++) {
			dh_lockset *known = &number[bits[k]];
			distinct += *known == 0;
			assert_true(*known == 0 || *known == results[k] + 1);
			*known = results[k] + 1;
			if (step % 16 == 0)
				expect(t, results[k], bits[k]);
		}
	}
	struct dh_lockset_stats s;
	dh_lockset_get_stats(t, &s);
	assert_in_range(distinct, 4000, s.sets);
	assert_true(s.sets <= 1 << LOCKS);
	assert_int_equal(s.bytes, dh_mem_in_use() - before);
	dh_lockset_table_free(t);
	assert_int_equal(dh_mem_in_use(), before);
}

/* More locks at once than the scratch on the stack has room for. */
static void test_many_locks(void **state)
{
	(void)state;
	enum { MANY = 500 };
	struct dh_lockset_table *t = dh_lockset_table_new();
	dh_lockset all = DH_LOCKSET_EMPTY, even = DH_LOCKSET_EMPTY;
	for (uint32_t i = 0; i < MANY; i++) {
		all = dh_lockset_add(t, all, MANY - 1 - i);
		if (i % 2 == 0)
			even = dh_lockset_add(t, even, i);
	}
	uint32_t count;
	const uint32_t *items = dh_lockset_items(t, all, &count);
	assert_int_equal(count, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(items[i], i);
	assert_int_equal(dh_lockset_intersect(t, all, even), even);
	for (uint32_t i = 1; i < MANY; i += 2)
		all = dh_lockset_remove(t, all, i);
	assert_int_equal(all, even);
	dh_lockset_table_free(t);
}

/* The second time an answer is looked up, not computed: nothing is added. */
static void test_memoised(void **state)
{
	(void)state;
	struct dh_lockset_table *t = dh_lockset_table_new();
	struct dice d = {3};
	dh_lockset a = build(t, &d, 0x0f7), b = build(t, &d, 0x1f0);
	dh_lockset first = dh_lockset_intersect(t, a, b);
	struct dh_lockset_stats s1, s2;
	dh_lockset_get_stats(t, &s1);
	assert_int_equal(s1.intersections, 1);
	assert_int_equal(dh_lockset_intersect(t, b, a), first);
	assert_int_equal(dh_lockset_intersect(t, a, b), first);
	dh_lockset_get_stats(t, &s2);
	assert_memory_equal(&s1, &s2, sizeof s1);
	dh_lockset_table_free(t);
}

/* All ids of a hash are found, and those of others are not; also over growth. */
static void test_index(void **state)
{
	(void)state;
	enum { IDS = 3000, HASHES = 700 };
	struct dh_index x = {0};
	struct dh_probe none = dh_index_probe(&x, 0);
	assert_int_equal(dh_index_next(&none), 0);
	for (uint32_t id = 1; id <= IDS; id++)
		dh_index_insert(&x, id % HASHES * 0x01000193u, id);
	for (int round = 0; round < 2; round++) {
		for (uint32_t h = 0; h < HASHES; h++) {
			uint32_t id, found = 0;
			struct dh_probe p = dh_index_probe(&x, h * 0x01000193u);
			while ((id = dh_index_next(&p))) {
				assert_int_equal(id % HASHES, h);
				found++;
			}
			assert_int_equal(found,
					 IDS / HASHES + (h > 0 && h <= IDS % HASHES));
		}
		dh_index_trim(&x); /* and once more without the old tables */
	}
	dh_index_free(&x);
	assert_int_equal(x.bytes, 0);
}

static void test_memo(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	struct dh_memo m = {0};
	uint32_t answer;
	assert_false(dh_memo_get(&m, 0, &answer));
	for (uint32_t i = 0; i < COUNT; i++)
		dh_memo_put(&m, (uint64_t)i << 30, i ^ 0x55);
	dh_memo_put(&m, 0, 0x55); /* again */
	assert_int_equal(dh_memo_len(&m), COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_true(dh_memo_get(&m, (uint64_t)i << 30, &answer));
		assert_int_equal(answer, i ^ 0x55);
		assert_false(dh_memo_get(&m, ((uint64_t)i << 30) + 1, &answer));
	}
	dh_memo_free(&m);
	assert_int_equal(m.bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty),    cmocka_unit_test(test_all),
	    cmocka_unit_test(test_random),   cmocka_unit_test(test_many_locks),
	    cmocka_unit_test(test_memoised), cmocka_unit_test(test_index),
	    cmocka_unit_test(test_memo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
