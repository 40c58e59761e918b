/* SPDX-License-Identifier: MIT */
/* Our own memory: zeroed, apart, accounted for; and vectors, stable and sparse storage. */
#include "dice.h"
#include "base/mem.h"
#include "base/sparse.h"
#include "base/stable.h"
#include "base/vec.h"

#include <string.h>

static bool all_bytes(const unsigned char *p, size_t n, unsigned char value)
{
	/* Equal to itself moved by one byte: all bytes are the first. */
	return n == 0 || (p[0] == value && memcmp(p, p + 1, n - 1) == 0);
}

/* Every small size, and many large ones: zeroed though the block was dirty before,
 * aligned, and free of its neighbour. */
static void test_every_size(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	for (size_t size = 1; size <= 70000; size += size < 2100 ? 1 : 61) {
		unsigned char *a = dh_mem_alloc(size), *b = dh_mem_alloc(size);
		assert_int_equal((uintptr_t)a % 16, 0);
		assert_int_equal((uintptr_t)b % 16, 0);
		assert_true(all_bytes(a, size, 0) && all_bytes(b, size, 0));
		memset(a, 0xaa, size);
		memset(b, 0xbb, size);
		assert_true(all_bytes(a, size, 0xaa));
		assert_int_equal(dh_mem_in_use(), before + 2 * size);
		dh_mem_free(a, size);
		unsigned char *again = dh_mem_alloc(size);
		assert_true(all_bytes(again, size, 0));
		assert_true(all_bytes(b, size, 0xbb));
		dh_mem_free(again, size);
		dh_mem_free(b, size);
	}
	assert_int_equal(dh_mem_in_use(), before);
}

/* The borders of size classes: the last byte of a block is its own. */
static void test_class_borders(void **state)
{
	(void)state;
	enum { BLOCKS = 40 };
	for (size_t log = 4; log <= 16; log++) {
		for (size_t quarter = 0; quarter < 4; quarter++) {
			size_t border = ((size_t)1 << log) + (quarter << log >> 2);
			for (size_t size = border - 1; size <= border + 1; size++) {
				unsigned char *b[BLOCKS];
				for (int i = 0; i < BLOCKS; i++) {
					b[i] = dh_mem_alloc(size);
					memset(b[i], i + 1, size);
				}
				for (int i = 0; i < BLOCKS; i++) {
					assert_true(
					    all_bytes(b[i], size, (uint8_t)(i + 1)));
					dh_mem_free(b[i], size);
				}
			}
		}
	}
}

/* Many blocks of mixed sizes, freed and taken in random order. */
static void test_random(void **state)
{
	(void)state;
	enum { BLOCKS = 300 };
	struct dice d = {1};
	unsigned char *block[BLOCKS] = {0};
	size_t size[BLOCKS] = {0}, sum = 0, before = dh_mem_in_use();
	for (int step = 0; step < 20000; step++) {
		uint32_t i = dice_roll(&d, BLOCKS);
		if (block[i]) {
			assert_true(all_bytes(block[i], size[i], (uint8_t)(i + 1)));
			dh_mem_free(block[i], size[i]);
			sum -= size[i];
			block[i] = NULL;
		} else {
			size[i] = 1 + dice_roll(&d, 1u << dice_roll(&d, 16));
			block[i] = dh_mem_alloc(size[i]);
			assert_true(all_bytes(block[i], size[i], 0));
			memset(block[i], (int)i + 1, size[i]);
			sum += size[i];
		}
		assert_int_equal(dh_mem_in_use(), before + sum);
	}
	for (int i = 0; i < BLOCKS; i++)
		dh_mem_free(block[i], size[i]);
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_resize(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 17, 300, 40000, 100000, 33000, 250, 16, 2};
	size_t before = dh_mem_in_use(), have = 0;
	unsigned char *b = NULL;
	for (size_t i = 0; i < DH_ARRAY_LEN(sizes); i++) {
		b = dh_mem_resize(b, have, sizes[i]);
		size_t old = DH_MIN(have, sizes[i]);
		assert_true(all_bytes(b, old, 0x5a));
		assert_true(all_bytes(b + old, sizes[i] - old, 0));
		have = sizes[i];
		memset(b, 0x5a, have);
		assert_int_equal(dh_mem_in_use(), before + have);
	}
	dh_mem_free(b, have);
	dh_mem_free(NULL, 0);
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_vec(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	struct dh_vec(uint32_t) v = {0};
	for (uint32_t i = 0; i < 1000; i++)
		dh_vec_push(&v, i * i);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v.at[i], i * i);
	for (uint32_t i = 1000; i > 500; i--)
		assert_int_equal(dh_vec_pop(&v), (i - 1) * (i - 1));
	dh_vec_grow(&v, 5000); /* over what was popped: must be zero again */
	assert_int_equal(v.len, 5000);
	for (uint32_t i = 500; i < 5000; i++)
		assert_int_equal(v.at[i], 0);
	dh_vec_grow(&v, 10);
	assert_int_equal(v.len, 5000);
	dh_vec_free(&v);
	assert_int_equal(dh_mem_in_use(), before);
}

/* Elements keep their places, also those far up; the number space has no hole. */
static void test_stable(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	struct dh_stable s = {0};
	uint64_t *at[COUNT];
	size_t before = dh_mem_in_use();
	assert_null(dh_stable_get(&s, 0, 8));
	for (uint32_t i = 0; i < COUNT; i++) {
		at[i] = dh_stable_make(&s, i, 8);
		assert_int_equal(*at[i], 0);
		*at[i] = ~(uint64_t)i;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_ptr_equal(dh_stable_get(&s, i, 8), at[i]);
		assert_int_equal(*at[i], ~(uint64_t)i);
	}
	assert_int_equal(dh_stable_bytes(&s, 8), dh_mem_in_use() - before);
	assert_int_equal(dh_stable_chunk(UINT32_MAX), DH_STABLE_CHUNKS - 1);
	dh_stable_free(&s, 8);
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_sparse(void **state)
{
	(void)state;
	enum { COUNT = 5000, LIVE = 3, EVERY = 1000 };
	struct dh_sparse s = {0};
	static char what[COUNT];
	size_t before = dh_mem_in_use();
	assert_null(dh_sparse_get(&s, 0));
	for (uint32_t i = 0; i < COUNT; i++) {
		dh_sparse_set(&s, i, &what[i]);
		if (i >= LIVE && (i - LIVE) % EVERY)
			dh_sparse_set(&s, i - LIVE, NULL);
		assert_ptr_equal(dh_sparse_get(&s, i), &what[i]);
		assert_null(dh_sparse_get(&s, i + 1));
	}
	uint32_t seen = 0, number = 0;
	for (const char *p; (p = dh_sparse_next(&s, &number)); number++) {
		assert_ptr_equal(p, &what[number]);
		assert_true(number % EVERY == 0 || number >= COUNT - LIVE);
		seen++;
	}
	assert_int_equal(seen, COUNT / EVERY + LIVE);
	assert_in_range(dh_mem_in_use() - before, 1,
			(COUNT / EVERY + 2) * sizeof(struct dh_sparse_chunk));
	dh_sparse_free(&s);
	assert_int_equal(dh_mem_in_use(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_size), cmocka_unit_test(test_class_borders),
	    cmocka_unit_test(test_random),     cmocka_unit_test(test_resize),
	    cmocka_unit_test(test_vec),	       cmocka_unit_test(test_stable),
	    cmocka_unit_test(test_sparse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
