/* SPDX-License-Identifier: MIT */
/* The hash map against an array searched from end to end. */
#include "dice.h"
#include "base/map.h"
#include "base/mem.h"

enum { MOST = 400 };

struct model {
	uint64_t key[MOST], value[MOST];
	uint32_t len;
};

static uint32_t model_find(const struct model *m, uint64_t key)
{
	uint32_t i = 0;
	while (i < m->len && m->key[i] != key)
		i++;
	return i;
}

static void compare(const struct dh_map *map, const struct model *m)
{
	assert_int_equal(map->len, m->len);
	for (uint32_t i = 0; i < m->len; i++) {
		uint64_t *v = dh_map_get(map, m->key[i]);
		assert_non_null(v);
		assert_int_equal(*v, m->value[i]);
	}
}

static void put(struct dh_map *map, struct model *m, uint64_t key, uint64_t value)
{
	bool fresh;
	uint32_t i = model_find(m, key);
	if (i == MOST)
		return;
	uint64_t *v = dh_map_put(map, key, &fresh);
	assert_int_equal(fresh, i == m->len);
	assert_int_equal(*v, fresh ? 0 : m->value[i]);
	*v = value;
	m->len += fresh;
	m->key[i] = key;
	m->value[i] = value;
}

static void take(struct dh_map *map, struct model *m, uint64_t key)
{
	uint32_t i = model_find(m, key);
	assert_int_equal(dh_map_remove(map, key), i < m->len);
	if (i == m->len)
		return;
	m->len--;
	m->key[i] = m->key[m->len];
	m->value[i] = m->value[m->len];
}

/* Few keys, so that they meet often; the extremes are among them. */
static uint64_t some_key(struct dice *d)
{
	static const uint64_t special[] = {0, 1, UINT64_MAX, 1ull << 63, UINT32_MAX};
	uint32_t i = dice_roll(d, 600);
	return i < DH_ARRAY_LEN(special) ? special[i] : (uint64_t)i << (i % 50);
}

static void test_random(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct dice d = {seed};
		struct dh_map map = {0};
		static struct model m;
		m.len = 0;
		for (int step = 0; step < 2000; step++) {
			uint64_t key = some_key(&d);
			/* Fills up first, empties in the end. */
			if (dice_chance(&d, step < 1200 ? 70 : 20))
				put(&map, &m, key, dice_roll(&d, 1u << 30) + 1);
			else
				take(&map, &m, key);
			assert_int_equal(dh_map_get(&map, key) != NULL,
					 model_find(&m, key) < m.len);
			if (step % 50 == 0)
				compare(&map, &m);
		}
		compare(&map, &m);
		dh_map_free(&map);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_empty(void **state)
{
	(void)state;
	struct dh_map map = {0};
	assert_null(dh_map_get(&map, 0));
	assert_false(dh_map_remove(&map, 0));
	*dh_map_put(&map, 0, NULL) = 7;
	assert_int_equal(*dh_map_get(&map, 0), 7);
	assert_true(dh_map_remove(&map, 0));
	assert_null(dh_map_get(&map, 0));
	dh_map_free(&map);
	assert_int_equal(map.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
