/* SPDX-License-Identifier: MIT */
/*
 * The heap against a model: random blocks are given out, resized and freed; none may
 * meet another, all keep their bytes, and what dh_heap_find() tells of any address is
 * what the model knows. And the arithmetic of size classes, for every size and offset;
 * and who made a block, however many threads have come and gone; and the words that an
 * engine has at the ends of blocks; and that large ones that were freed take little memory.
 */
#include "base/sys.h"
#include "runtime/heap.h"
#include "runtime/heap_class.h"
#include "runtime/heap_hands.h"
#include "runtime/heap_slab.h"
#include "runtime/race.h"
#include "runtime/thread.h"
#include "../unit/dice.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 400, STEPS = 60000 };

static struct block {
	uint8_t *at;
	size_t size;
	uint8_t fill;
} blocks[BLOCKS];

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	fail_msg("one thread has no races");
}

/* ---- classes ---- */

static void test_classes(void **state)
{
	(void)state;
	for (size_t size = 0; size <= DH_SMALL_MAX; size++) {
		unsigned class = dh_class_of(size);
		assert_true(class < DH_CLASSES && dh_class_size(class) >= size);
		assert_true(class == 0 || dh_class_size(class - 1) < size);
	}
	for (unsigned class = 0; class < DH_CLASSES; class ++) {
		uint32_t size = dh_class_size(class),
			 end = dh_class_units(class) * DH_UNIT;
		assert_true(size % 16 == 0);
		for (uint64_t at = 0; at < end; at++)
			assert_int_equal(at * dh_class_magic(class) >> DH_MAGIC_SHIFT,
					 at / size);
	}
}

/* ---- one block ---- */

static void check_found(const uint8_t *addr, const uint8_t *base, size_t size, bool freed)
{
	struct dh_heap_block b;
	assert_true(dh_heap_find((uintptr_t)addr, &b));
	assert_int_equal(b.base, (uintptr_t)base);
	assert_int_equal(b.size, size);
	assert_int_equal(b.freed, freed);
}

static void test_find(void **state)
{
	(void)state;
	struct dh_heap_block b;
	static const size_t sizes[] = {1,     16,    17,     100,    5000,
				       32768, 32769, 600000, 5000000};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		size_t size = sizes[i];
		uint8_t *p = dh_heap_alloc(size, 16, 0);
		check_found(p, p, size, false);
		check_found(p + size / 2, p, size, false);
		check_found(p + size - 1, p, size, false);
		assert_false(dh_heap_find((uintptr_t)p + size, &b));
		assert_int_equal(dh_heap_size(p), size);
		assert_int_equal(dh_heap_size(p + 1), 0);
		dh_heap_free(p, 0);
		check_found(p + size - 1, p, size, true);
		assert_int_equal(dh_heap_size(p), 0);
	}
	assert_false(dh_heap_find(0, &b));
	assert_false(dh_heap_find((uintptr_t)&b, &b));
	assert_false(dh_heap_find(UINTPTR_MAX, &b));
}

static void test_refusals(void **state)
{
	(void)state;
	struct dh_heap_stats s;
	assert_null(dh_heap_alloc(PTRDIFF_MAX, 16, 0));
	assert_null(dh_heap_alloc(SIZE_MAX, 16, 0));
	assert_null(dh_heap_alloc(1, (size_t)1 << 62, 0));
	void *p = dh_heap_alloc(100, 16, 0);
	assert_null(dh_heap_resize(p, PTRDIFF_MAX, 0));
	assert_int_equal(dh_heap_size(p), 100);
	dh_heap_free(p, 0);
	dh_heap_free(NULL, 0);
	dh_heap_get_stats(&s);
	assert_int_equal(s.wrong_frees, 0);
}

/* ---- many ---- */

static size_t some_size(struct dice *d)
{
	switch (dice_roll(d, 20)) {
	case 0:
		return dice_roll(d, 800000);
	case 1:
		return dice_roll(d, 40000);
	default:
		return dice_roll(d, 700);
	}
}

static void check_bytes(const struct block *b)
{
	for (size_t i = 0; i < b->size; i += 1 + b->size / 64)
		assert_int_equal(b->at[i], b->fill);
	if (b->size)
		assert_int_equal(b->at[b->size - 1], b->fill);
}

static void refill(struct dice *d, struct block *b)
{
	b->fill = (uint8_t)dice_roll(d, 256);
	memset(b->at, b->fill, b->size);
	if (b->size)
		check_found(b->at + dice_roll(d, (uint32_t)b->size), b->at, b->size,
			    false);
}

static void take(struct dice *d, struct block *b)
{
	size_t align = (size_t)16 << (dice_roll(d, 4) ? 0 : dice_roll(d, 12));
	b->size = some_size(d);
	bool zero = dice_roll(d, 4) == 0;
	b->at = zero ? dh_heap_alloc_zero(b->size, 0) : dh_heap_alloc(b->size, align, 0);
	assert_non_null(b->at);
	assert_int_equal((uintptr_t)b->at % (zero ? 16 : align), 0);
	for (size_t i = 0; zero && i < b->size; i++)
		assert_int_equal(b->at[i], 0);
	refill(d, b);
}

static void resize(struct dice *d, struct block *b)
{
	struct block old = *b;
	b->size = some_size(d);
	b->at = dh_heap_resize(b->at, b->size, 0);
	old.at = b->at;
	old.size = DH_MIN(old.size, b->size);
	check_bytes(&old);
	refill(d, b);
}

static void give(struct block *b)
{
	check_bytes(b);
	dh_heap_free(b->at, 0);
	if (b->size && b->size < 100000)
		check_found(b->at, b->at, b->size, true);
	b->at = NULL;
}

static void test_model(void **state)
{
	(void)state;
	struct dice d = {7};
	struct dh_heap_stats s;
	for (int i = 0; i < STEPS; i++) {
		struct block *b = &blocks[dice_roll(&d, BLOCKS)];
		if (!b->at)
			take(&d, b);
		else if (dice_roll(&d, 3) == 0)
			resize(&d, b);
		else
			give(b);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (blocks[i].at)
			give(&blocks[i]);
	dh_heap_get_stats(&s);
	assert_int_equal(s.wrong_frees, 0);
}

static int start(void **state)
{
	(void)state;
	dh_threads_init();
	return 0;
}

/* ---- who made it ---- */

/* A block is made by one thread after another, each in a place of its own. */
static void be_a_thread(struct dh_thread_info *info, uint8_t **kept)
{
	enum { PLACES = 8 };
	struct dh_self *t = dh_thread_self(), before = *t;
	*t = (struct dh_self){0};
	dh_thread_attach(info);
	for (uint64_t pc = 1; pc <= PLACES; pc++)
		dh_heap_free(dh_heap_alloc(100, 16, 0x1000 * pc), 0x1000 * pc + 8);
	if (kept)
		*kept = dh_heap_alloc(200, 16, 0x9000);
	dh_thread_detach_self();
	*t = before;
	dh_thread_joined(info);
}

/* Hands of threads that have ended are used again, but for those that a block names. */
static void test_hands(void **state)
{
	(void)state;
	enum { THREADS = 2000, KEPT = 100 };
	static uint8_t *kept[THREADS / KEPT];
	static uint32_t maker[THREADS / KEPT];
	for (unsigned i = 0; i < THREADS; i++) {
		struct dh_thread_info *info = dh_thread_create(0);
		be_a_thread(info, i % KEPT ? NULL : &kept[i / KEPT]);
		if (i % KEPT == 0)
			maker[i / KEPT] = info->id;
	}
	assert_in_range(dh_heap_hands_made(), 1, 2 * THREADS);
	for (unsigned i = 0; i < THREADS / KEPT; i++) {
		struct dh_heap_block b;
		assert_true(dh_heap_find((uintptr_t)kept[i], &b));
		assert_int_equal(b.alloc_thread, maker[i]);
		dh_heap_free(kept[i], 0);
	}
}

/* What is known of the block i of test_kinds(); site: of its place, or 0. */
static void check_kind(const uint8_t *at, unsigned i, bool freed, uint32_t *site)
{
	struct dh_heap_block b;
	assert_true(dh_heap_find((uintptr_t)at, &b));
	assert_int_equal(b.size, 1 + i % 128);
	assert_int_equal(b.freed, freed);
	if (!*site)
		*site = b.alloc_site;
	assert_int_equal(b.alloc_site, *site);
	assert_int_equal(b.free_site, freed ? *site : 0);
}

/* Blocks of one class that are made in more places than a slab has room for kinds, with
 * sizes that leave up to all of the block unused: each keeps its facts. */
static void test_kinds(void **state)
{
	(void)state;
	enum { COUNT = 3000, PLACES = 300, PC = 0x1000 };
	static uint8_t *made[COUNT];
	static uint32_t site[PLACES];
	for (unsigned i = 0; i < COUNT; i++) {
		made[i] = dh_heap_alloc(1 + i % 128, 128, PC * (1 + i % PLACES));
		check_kind(made[i], i, false, &site[i % PLACES]);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		check_kind(made[i], i, false, &site[i % PLACES]);
		assert_int_not_equal(site[i % PLACES], site[(i + 1) % PLACES]);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		dh_heap_free(made[i], PC * (1 + i % PLACES));
		check_kind(made[i], i, true, &site[i % PLACES]);
	}
	void *empty = dh_heap_alloc(0, 128, PC);
	assert_int_equal(dh_heap_size(empty), 0);
	dh_heap_free(empty, PC);
}

/* ---- tails ---- */

/* From here on: slabs that have them stay. */
static void test_tails(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static uint8_t *made[COUNT];
	unsigned tailed = 0;
	dh_heap_tails = true;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			size_t size = 1 + (i + 7 * round) % 140;
			made[i] = dh_heap_alloc(size, 16, 0);
			struct dh_slab *s = dh_slab_of((uintptr_t)made[i]);
			uint64_t *tail = dh_slab_tail(s, (uintptr_t)made[i]);
			memset(made[i], 0xff, size);
			if (!s->tailed)
				continue;
			tailed++;
			assert_true((uint8_t *)tail >= made[i] + DH_MAX(size, 24u));
			assert_int_equal(*tail, 0);
			*tail = i + 1;
		}
		for (unsigned i = 0; i < COUNT; i++) {
			struct dh_slab *s = dh_slab_of((uintptr_t)made[i]);
			uint64_t *tail = dh_slab_tail(s, (uintptr_t)made[i]);
			if (s->tailed) {
				assert_int_equal(*tail, i + 1);
				*tail = 0;
			}
			dh_heap_free(made[i], 0);
		}
	}
	assert_true(tailed > COUNT);
	uint8_t *at = dh_heap_alloc(40, 16, 0);
	assert_ptr_equal(dh_heap_resize(at, 33, 0), at);
	assert_ptr_equal(dh_heap_resize(at, 40, 0), at);
	dh_heap_free(at, 0);
}

static void test_large(void **state)
{
	(void)state;
	enum { COUNT = 4, SIZE = 1 << 20, PAGES = SIZE / 4096 };
	static uint8_t *made[COUNT];
	unsigned char pages[PAGES];
	unsigned resident = 0;
	for (unsigned i = 0; i < COUNT; i++) {
		made[i] = dh_heap_alloc(SIZE, 16, 0);
		memset(made[i], 0xff, SIZE);
	}
	for (unsigned i = 0; i < COUNT; i++)
		dh_heap_free(made[i], 0);
	for (unsigned i = 0; i < COUNT; i++)
		if (dh_sys_resident(made[i], SIZE, pages))
			for (unsigned k = 0; k < PAGES; k++)
				resident += pages[k] & 1;
	assert_true(resident <= PAGES);
	uint8_t *again = dh_heap_alloc_zero(SIZE, 0);
	for (unsigned k = 0; k < SIZE; k++)
		assert_int_equal(again[k], 0);
	dh_heap_free(again, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_classes),  cmocka_unit_test(test_find),
	    cmocka_unit_test(test_refusals), cmocka_unit_test(test_model),
	    cmocka_unit_test(test_hands),    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_tails),    cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, start, NULL);
}
