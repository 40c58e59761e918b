/* SPDX-License-Identifier: MIT */
/*
 * The shadow against a naive oracle (world.h): random accesses of all sizes, atomic and not,
 * of threads that pass order to each other.
 */
#include "runtime/blend.h"
#include "world.h"

enum { BYTES = 48, STEPS = 150, LOOP_BYTES = 160, LOOP_STEPS = 400 };

static struct step roll_access(struct dice *d, unsigned number)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 8, 3, 5, 7, 13, 16, 24};
	struct step s = {.thread = (int)dice_roll(d, THREADS),
			 .write = dice_roll(d, 2),
			 .atomic = dice_roll(d, 6) == 0};
	unsigned size = sizes[dice_roll(d, DH_ARRAY_LEN(sizes))];
	bool aligned = size == 1 || size == 2 || size == 4 || size == 8;
	if (aligned)
		s.from = dice_roll(d, BYTES / size) * size;
	else if (size == 16 && dice_roll(d, 2))
		s.from = dice_roll(d, BYTES / 8 - 1) * 8;
	else
		s.from = dice_roll(d, BYTES - size + 1);
	s.to = s.from + size;
	s.pc = dice_roll(d, 3) ? 0x1000 + dice_roll(d, 4) : 0x2000 + number;
	return s;
}

/* In loops over the granules, of which there are few: the next granule after that of the
 * last step, or the same again, at the same place of the program. */
static struct step roll_loop(struct dice *d, const struct step *last)
{
	struct step s = {.thread = (int)dice_roll(d, THREADS),
			 .write = dice_roll(d, 3) == 0,
			 .to = 8,
			 .pc = 0x1000 + 21 * dice_roll(d, 3)}; /* two share an entry of recall.h */
	if (last->to && last->to < LOOP_BYTES && dice_roll(d, 16)) {
		const unsigned step = dice_roll(d, 3) ? 8 : 0;
		s = *last, s.from += step, s.to += step;
	}
	return s;
}

static void play(uint64_t seed, unsigned order_weight, bool lanes, bool loops)
{
	struct dice d = {seed * 0x1234567};
	struct step last = {0};
	open_world(lanes);
	world.sole = seed % 2;
	if (seed % 3)
		discourage_sets();
	for (unsigned n = 0; n < (loops ? LOOP_STEPS : STEPS); n++) {
		if (dice_roll(&d, loops ? 40 : 10) < order_weight) {
			int from = (int)dice_roll(&d, THREADS);
			if (loops && dice_roll(&d, 2))
				pass_order_to_all();
			else
				pass_order(from, (int)dice_roll(&d, THREADS));
			continue;
		}
		if (lanes && world.tasks < TASKS && dice_roll(&d, 6) == 0)
			next_task();
		if (lanes && dice_roll(&d, 40) == 0)
			wait_for_tasks();
		struct step s = loops ? roll_loop(&d, &last) : roll_access(&d, n);
		last = s;
		const int thread = lanes && world.low && dice_roll(&d, 2) ? LANE : s.thread;
		s.thread = who_is(thread);
		begin_telling();
		tell_oracle(&s);
		become(thread);
		play_access(&s);
		leave(thread);
		end_telling(seed, n, s.thread);
	}
	close_world();
}

static void test_random_accesses(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4000; seed++)
		play(seed, (unsigned)(seed % 8), false, false);
}

static void test_random_tasks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++)
		play(seed, (unsigned)(seed % 8), true, false);
}

static void test_random_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++)
		play(seed, (unsigned)(seed % 4), seed % 16 == 0, true);
}

/* Each byte at a place of its own: a blend for each would be one more after every byte. */
static void test_blends_that_do_not_pay(void **state)
{
	(void)state;
	open_world(false);
	become(1);
	uint32_t before = dh_blend_count();
	for (unsigned i = 0; i < sizeof memory; i++)
		play_aligned((uintptr_t)memory + i, 1, true, 0x10000 + i);
	assert_true(dh_blend_count() - before <= DH_SETS_GRACE + sizeof memory / 128);
	leave(1);
	close_world();
}

enum { NOBODY = 0, FIRST = 1, SECOND = 2, KNOWN = 4 };

/* Which bytes are touched is not part of a blend; but of what a report is given, it is. */
static void test_blends_of_other_bytes(void **state)
{
	enum { LOWER = DH_BLEND_FIRST - 1, UPPER = LOWER - 1 }; /* nobody else has them */
	static const unsigned lower[] = {0x0f, 0x03, 0x0b, 0x08};
	(void)state;
	open_world(false);
	become(FIRST);
	struct dh_self *t = dh_thread_base();
	const dh_record above = dh_record_make(t->now, 0xf0, false, UPPER);
	uint32_t before = dh_blend_count();
	for (unsigned i = 0; i < 2 * DH_ARRAY_LEN(lower); i++) {
		bool fresh;
		const unsigned mask = lower[i / 2];
		const dh_record below = dh_record_make(t->now, mask, false, LOWER);
		const dh_record both = i % 2 ? dh_blend(t, below, above, &fresh)
					     : dh_blend(t, above, below, &fresh);
		assert_int_equal(dh_record_mask(both), mask | 0xf0);
		assert_true(dh_blend_part(both, 0x30) == above);
		assert_int_equal(dh_record_site(dh_blend_part(both, 0x08 & mask)), LOWER);
		assert_int_equal(dh_record_mask(dh_blend_part(both, 0x01 & mask)),
				 mask == 0x0b ? 0x03 : mask);
	}
	assert_int_equal(dh_blend_count() - before, 1);
	leave(FIRST);
	close_world();
}

/* Each of the first bytes of a granule in a time frame of its own, the last one first: FIRST;
 * SECOND knows of so many of these. */
static void touch_byte_by_byte(uintptr_t granule, unsigned bytes, bool write, unsigned known)
{
	for (unsigned i = 0; i < bytes; i++) {
		become(FIRST);
		play_aligned(granule + bytes - 1 - i, 1, write, 0x3000 + i);
		leave(FIRST);
		pass_order(FIRST, i < known ? SECOND : NOBODY);
	}
}

/* Does SECOND race with that? */
static bool races_with_byte(uintptr_t addr, bool write)
{
	world.report_count = 0;
	become(SECOND);
	play_aligned(addr, 1, write, 0x4000);
	leave(SECOND);
	return world.report_count > 0;
}

/* Accesses that come one after the other, as many as are kept as elders and more: who comes
 * after some of them races with the others. */
static void test_byte_by_byte(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * DH_GRANULE * DH_GRANULE; i++) {
		const unsigned bytes = i / 2 % DH_GRANULE + 1, byte = i / 2 / DH_GRANULE;
		const uintptr_t granule = (uintptr_t)memory + (size_t)i * DH_GRANULE;
		const bool write = i % 2;
		open_world(false);
		discourage_sets();
		touch_byte_by_byte(granule, bytes, write, KNOWN);
		assert_int_equal(races_with_byte(granule + byte, !write),
				 byte < bytes && bytes - 1 - byte >= KNOWN);
		close_world();
	}
}

/* Memory that is used anew has no elders, nor have bytes of it. */
static void test_elders_end_with_memory(void **state)
{
	enum { HALF = DH_GRANULE / 2, FEW = HALF - 1 };
	(void)state;
	for (unsigned i = 0; i < 2 * 2 * DH_GRANULE; i++) {
		const bool write = i % 2, whole = i / 2 % 2;
		const unsigned byte = i / 4;
		uintptr_t granule = (uintptr_t)memory + (size_t)i * 2 * DH_GRANULE;
		open_world(false);
		touch_byte_by_byte(granule, HALF + 1, write, 0);
		dh_shadow_clear(granule, whole ? DH_GRANULE : HALF);
		assert_int_equal(races_with_byte(granule + byte, !write),
				 !whole && byte == HALF);
		close_world();
		granule += DH_GRANULE;
		open_world(false);
		touch_byte_by_byte(granule, HALF + 1, write, 0);
		dh_shadow_clear(granule, DH_GRANULE);
		touch_byte_by_byte(granule, FEW, write, 0);
		assert_int_equal(races_with_byte(granule + byte, !write), byte < FEW);
		close_world();
	}
}

/* One place of the program reads another byte of each third granule, beside whole reads of two
 * other threads: who knows of those alone races with these bytes, and with no others. */
static void test_bytes_beside_others(void **state)
{
	enum { GRANULES = 24, IN_A_ROW = 3, OTHERS = 2, READER = 2, WRITER = 3 };
	(void)state;
	open_world(false);
	for (unsigned other = 0; other < OTHERS; other++) {
		become(other);
		for (uintptr_t g = 0; g < GRANULES; g++)
			play_aligned((uintptr_t)memory + g * 8, 8, false, 0x3000);
		leave(other);
	}
	become(READER);
	for (uintptr_t g = 0; g < GRANULES; g++)
		play_aligned((uintptr_t)memory + g * 8 + g / IN_A_ROW % 8, 1, false, 0x3100);
	leave(READER);
	for (unsigned other = 0; other < OTHERS; other++)
		pass_order(other, WRITER);
	become(WRITER);
	for (uintptr_t g = 0; g < GRANULES; g++) {
		for (uintptr_t byte = 0; byte < DH_GRANULE; byte++) {
			world.report_count = 0;
			play_aligned((uintptr_t)memory + g * 8 + byte, 1, true, 0x4000);
			assert_int_equal(world.report_count > 0, byte == g / IN_A_ROW % 8);
		}
	}
	leave(WRITER);
	close_world();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_accesses),
		cmocka_unit_test(test_random_tasks),
		cmocka_unit_test(test_random_loops),
		cmocka_unit_test(test_blends_that_do_not_pay),
		cmocka_unit_test(test_blends_of_other_bytes),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_elders_end_with_memory),
		cmocka_unit_test(test_bytes_beside_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
