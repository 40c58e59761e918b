/* SPDX-License-Identifier: MIT */
/* What is known to repeat (runtime/lines.h) against a naive account of it: for each byte,
 * whether it was read or written in this turn, as a part of four bytes or alone. */
#include "../unit/dice.h"
#include "runtime/racetrack/lines.h"

#include <string.h>

enum { LINES = 8, SPAN = 4 << DH_LINE_BITS, STEPS = 200000 };

static struct dh_line at[LINES];
static struct dh_byte_line bytes[LINES];
static struct dh_lines lines = {
    .at = at, .bytes = bytes, .mask = LINES - 1, .byte_mask = LINES - 1};

/* By table (0: small accesses) and kind. */
static bool done[2][2][SPAN];
static const uintptr_t base = 0x7f1234560000;

static void add(uintptr_t offset, unsigned size, bool write)
{
	uintptr_t addr = base + offset, line = addr >> DH_LINE_BITS;
	if (size >= 4) {
		struct dh_line *l = dh_line_of(&lines, line);
		if (l->key != dh_line_key(&lines, line))
			*l = (struct dh_line){.key = dh_line_key(&lines, line)};
		DH_LINE_ADD(l, dh_line_bits(addr, size), write);
	} else {
		line = addr >> DH_BYTE_LINE_BITS;
		struct dh_byte_line *b = dh_byte_line_of(&lines, line);
		if (b->key != dh_line_key(&lines, line))
			*b = (struct dh_byte_line){.key = dh_line_key(&lines, line)};
		DH_LINE_ADD(b, dh_byte_line_bits(addr, size), write);
	}
	for (unsigned i = 0; i < size; i++) {
		done[size >= 4][0][offset + i] = true;
		done[size >= 4][1][offset + i] |= write;
	}
}

static bool all_done(uintptr_t offset, unsigned size, bool write, bool small, bool large)
{
	for (unsigned i = 0; i < size; i++)
		if (!(small && done[0][write][offset + i]) &&
		    !(large && done[1][write][offset + i]))
			return false;
	return true;
}

static void check(uintptr_t offset, unsigned size, bool write)
{
	uintptr_t addr = base + offset;
	const struct dh_line *l = dh_line_of(&lines, addr >> DH_LINE_BITS);
	bool want = all_done(offset, size, write, false, true) ||
		    (size < 4 && all_done(offset, size, write, true, false));
	assert_int_equal(dh_lines_have(&lines, l, addr, size, write), want);
}

static void check_loose(uintptr_t offset, unsigned size, bool write)
{
	bool within = (offset & 63) + size <= 64;
	assert_int_equal(dh_lines_have_loose(&lines, base + offset, size, write),
			 within && all_done(offset, size, write, true, false));
	bool parts = dh_lines_are_two(base + offset, size)
			 ? dh_lines_have_both(&lines, base + offset, size, write)
			 : dh_lines_have_parts(&lines, base + offset, size, write);
	assert_int_equal(dh_lines_are_two(base + offset, size), !within);
	assert_int_equal(parts, all_done(offset, size, write, true, true));
}

/* Which parts of four bytes an access has. */
static void test_units(void **state)
{
	(void)state;
	for (unsigned from = 0; from < DH_RT_LINE; from++)
		for (unsigned size = 1; size <= 8 && from + size <= DH_RT_LINE; size++) {
			uint32_t want = 0;
			for (unsigned i = 0; i < DH_RT_LINE / 4; i++)
				if (4 * i >= from && 4 * i + 4 <= from + size)
					want |= (uint32_t)1 << i;
			assert_int_equal(dh_rt_unit_bits(base + from, size), want);
		}
}

static void test_repeats(void **state)
{
	(void)state;
	struct dice d = {7};
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned size = 1u << dice_roll(&d, 4), loose = 1 + dice_roll(&d, 8);
		uintptr_t offset = dice_roll(&d, SPAN / size) * size;
		bool write = dice_chance(&d, 40);
		check(offset, size, write);
		check_loose(dice_roll(&d, SPAN - loose + 1), loose, write);
		if (dice_chance(&d, 50))
			add(offset, size, write);
		if (dice_roll(&d, 400) == 0) {
			lines.turn += DH_TURN;
			memset(done, 0, sizeof done);
		}
	}
	assert_true(lines.repeats > STEPS / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_repeats),
					   cmocka_unit_test(test_units)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
