/* SPDX-License-Identifier: MIT */
/*
 * How many cells repeat an access, by narrow and by wide vectors, against a loop over
 * single cells: rows that mostly do, with a few bits that are different here and there.
 */
#include "../unit/dice.h"
#include "runtime/cells.h"

enum { CELLS = 200, ROWS = 20000 };

static const uint64_t key = (uint64_t)77 << DH_SLOT_SHIFT | (uint64_t)12345
								<< DH_CLOCK_SHIFT;

static bool repeats(dh_record word)
{
	return (word ^ key) <= DH_RECORD_SITE_MAX;
}

static size_t naive(const struct dh_cell *c, size_t count, bool either)
{
	size_t n = 0;
	for (; n + DH_CELLS <= count; n += DH_CELLS) {
		bool writes = true, reads = either;
		for (size_t i = n; i < n + DH_CELLS; i++) {
			writes &= repeats(c[i].write);
			reads &= repeats(c[i].read);
		}
		if (!writes && !reads)
			break;
	}
	return n;
}

static void roll_row(struct dice *d, struct dh_cell *c)
{
	for (size_t i = 0; i < CELLS; i++) {
		c[i].write = key | dice_roll(d, 1 << 20);
		c[i].read = key | dice_roll(d, 1 << 20);
	}
	for (uint32_t odd = dice_roll(d, 4); odd; odd--) {
		struct dh_cell *at = &c[dice_roll(d, CELLS)];
		*(dice_chance(d, 50) ? &at->write : &at->read) ^= (uint64_t)1
								  << dice_roll(d, 64);
	}
	if (dice_chance(d, 30))
		for (size_t i = dice_roll(d, CELLS); i < CELLS; i++)
			c[i].write = 0;
}

static void against_naive(void **state)
{
	static _Alignas(64) struct dh_cell c[CELLS];
	struct dice d = {1};
	(void)state;
	for (unsigned row = 0; row < ROWS; row++) {
		roll_row(&d, c);
		const size_t from = dice_roll(&d, 20);
		const size_t count = dice_roll(&d, CELLS - 20);
		const bool either = dice_chance(&d, 50);
		assert_int_equal(dh_cells_repeat(c + from, count, key, either),
				 naive(c + from, count, either));
	}
}

static void narrow(void **state)
{
	dh_cells_wide = false;
	against_naive(state);
}

/* Where the processor has no wide ones, the same once more. */
static void wide(void **state)
{
	dh_cells_choose();
	against_naive(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(narrow),
	    cmocka_unit_test(wide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
