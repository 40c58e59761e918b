/* SPDX-License-Identifier: MIT */
/*
 * The stock of small blocks: neighbours go to one home, and come back to it, unless much
 * lies idle there; and against a model, that no block is with two at a time and none is
 * lost.
 */
#include "runtime/heap_stock.h"
#include "runtime/race.h"
#include "../unit/dice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CLASS = 2 /* of 48 bytes */, LARGE_CLASS = 20, BATCH = 16 };

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	fail_msg("nobody accesses anything");
}

static struct dh_span *span_of(dh_block b)
{
	return dh_span_of(dh_block_slab(b), dh_block_index(b));
}

/* Takes n blocks, BATCH at most. */
static void take(unsigned class, struct dh_heap_home *home, dh_block *out, unsigned n)
{
	assert_int_equal(dh_stock_take(class, home, out, n), n);
}

static void test_apart(void **state)
{
	(void)state;
	static struct dh_heap_home a, b;
	dh_block of_a[BATCH], of_b[BATCH];
	take(CLASS, &a, of_a, BATCH);
	take(CLASS, &b, of_b, BATCH);
	for (unsigned i = 0; i < BATCH; i++) {
		assert_ptr_not_equal(span_of(of_a[i]), span_of(of_b[i]));
		assert_true(dh_stock_at_home(dh_block_slab(of_a[i]),
					     dh_block_index(of_a[i]), &a));
		assert_false(dh_stock_at_home(dh_block_slab(of_a[i]),
					      dh_block_index(of_a[i]), &b));
	}
	dh_stock_give(CLASS, of_a, BATCH - 1);
	dh_block again[BATCH];
	take(CLASS, &b, again, BATCH);
	for (unsigned i = 0; i < BATCH; i++)
		assert_ptr_not_equal(span_of(again[i]), span_of(of_a[0]));
	dh_stock_give(CLASS, again, BATCH);
	take(CLASS, &a, again, BATCH - 1);
	assert_memory_equal(again, of_a, (BATCH - 1) * sizeof *again);
	dh_stock_give(CLASS, of_a, BATCH);
	dh_stock_give(CLASS, of_b, BATCH);
}

/* Large ones have no homes. */
static void test_large(void **state)
{
	(void)state;
	static struct dh_heap_home a, b;
	dh_block of_a, of_b;
	take(LARGE_CLASS, &a, &of_a, 1);
	take(LARGE_CLASS, &b, &of_b, 1);
	assert_ptr_equal(span_of(of_a), span_of(of_b));
	assert_true(dh_stock_at_home(dh_block_slab(of_a), dh_block_index(of_a), &b));
	dh_stock_give(LARGE_CLASS, &of_a, 1);
	dh_stock_give(LARGE_CLASS, &of_b, 1);
}

/* One home has had very many, of which one in each span is still out: the next home is
 * given the others, and no memory more. */
static void test_idle(void **state)
{
	(void)state;
	enum { MANY = 64 * DH_SPAN };
	static struct dh_heap_home a, b;
	static dh_block all[MANY], again[MANY];
	for (unsigned i = 0; i < MANY; i += BATCH)
		take(CLASS, &a, all + i, BATCH);
	for (unsigned i = 0; i < MANY; i++)
		if (dh_block_index(all[i]) % DH_SPAN)
			dh_stock_give(CLASS, &all[i], 1);
	struct dh_slab_stats before, after;
	dh_slab_get_stats(&before);
	for (unsigned i = 0; i < MANY / 2; i += BATCH)
		take(CLASS, &b, again + i, BATCH);
	dh_slab_get_stats(&after);
	assert_int_equal(before.heads, after.heads);
	unsigned moved = 0;
	for (unsigned i = 0; i < MANY; i++)
		moved +=
		    dh_stock_at_home(dh_block_slab(all[i]), dh_block_index(all[i]), &b);
	assert_true(moved >= MANY / 4 && moved < MANY);
	dh_stock_give(CLASS, again, MANY / 2);
	for (unsigned i = 0; i < MANY; i++)
		if (dh_block_index(all[i]) % DH_SPAN == 0)
			dh_stock_give(CLASS, &all[i], 1);
}

/* ---- against a model ---- */

enum { HOMES = 4, KEPT = 3000, STEPS = 200000 };

static struct out {
	dh_block b;
	uint8_t *mark; /* of the block, in its slab's */
} out[KEPT];

/* A mark for each block of a slab that is out. */
static uint8_t *mark_of(dh_block b)
{
	enum { SLABS = 64 };
	static struct {
		struct dh_slab *slab;
		uint8_t marks[4096];
	} known[SLABS];
	unsigned i = 0;
	while (known[i].slab && known[i].slab != dh_block_slab(b))
		assert_true(++i < SLABS);
	known[i].slab = dh_block_slab(b);
	return &known[i].marks[dh_block_index(b)];
}

static void test_model(void **state)
{
	(void)state;
	static struct dh_heap_home homes[HOMES];
	struct dice d = {1};
	unsigned count = 0;
	for (unsigned step = 0; step < STEPS; step++) {
		/* now more, now less */
		const bool grow = dice_roll(&d, 8) < (step / 8192 % 2 ? 5 : 3);
		const unsigned n = 1 + dice_roll(&d, BATCH);
		if (grow && count + n <= KEPT) {
			dh_block got[BATCH];
			take(CLASS, &homes[dice_roll(&d, HOMES)], got, n);
			for (unsigned i = 0; i < n; i++) {
				uint8_t *mark = mark_of(got[i]);
				assert_int_equal(*mark, 0);
				*mark = 1;
				out[count++] = (struct out){got[i], mark};
			}
		} else if (count) {
			const unsigned i = dice_roll(&d, count);
			*out[i].mark = 0;
			dh_stock_give(CLASS, &out[i].b, 1);
			out[i] = out[--count];
		}
	}
	while (count)
		dh_stock_give(CLASS, &out[--count].b, 1);
	struct dh_slab_stats before, after;
	dh_slab_get_stats(&before);
	for (unsigned i = 0; i < KEPT / 2; i++)
		take(CLASS, &homes[0], &out[i].b, 1);
	dh_slab_get_stats(&after);
	assert_int_equal(before.heads, after.heads); /* heads of slabs that went, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_apart),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_idle),
	    cmocka_unit_test(test_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
