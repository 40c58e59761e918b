/* SPDX-License-Identifier: MIT */
/* Diaries of the engine `racetrack`: what they say of a line or a range at random places
 * is what going through all of their entries says. */
#include "../unit/dice.h"
#include "runtime/access.h"
#include "runtime/racetrack/diary.h"
#include "runtime/racetrack/held.h"

enum {
	SLOT = 3,
	NOTES = 200000, /* more than any number after which something is made anew */
	ARENA = 1 << 21,
	LINE = 1 << DH_LINE_BITS
};
static const uintptr_t base = (uintptr_t)0x7f0000000000;

static struct dh_rt_thread me;
static struct dice dice = {1};

void dh_rt_held_move(struct dh_rt_thread *thread, uint32_t slot)
{
	(void)thread, (void)slot;
}

static int setup(void **state)
{
	(void)state;
	dh_rt_diary_take(&me, SLOT);
	return 0;
}

/* ---- places ---- */

static void note_place(void)
{
	static const uint8_t sizes[] = {1, 2, 4, 8};
	const unsigned size = sizes[dice_roll(&dice, 4)];
	const uintptr_t addr = base + (dice_roll(&dice, ARENA) & -size);
	const unsigned mask = ((1u << size) - 1) << addr % DH_GRANULE;
	const dh_record rec = dh_record_make(
	    dh_record_epoch(SLOT, 1 + dice_roll(&dice, 1000)), mask, false, 1);
	dh_rt_diary_note(&me, dh_rt_entry_of(me.diary, addr, mask == DH_WHOLE), addr,
			 dice_chance(&dice, 50), rec);
}

static bool has_naively(uintptr_t from, uintptr_t to)
{
	for (uint32_t i = 0; i <= me.diary->mask; i++)
		if (me.diary->at[i].key >= from && me.diary->at[i].key < to)
			return true;
	return false;
}

static void count(const struct dh_rt_past *p, void *with)
{
	(void)p;
	++*(unsigned *)with;
}

static bool is_told(uintptr_t from, uintptr_t to)
{
	unsigned told = 0;
	for (uintptr_t granule = from; granule < to; granule += DH_GRANULE)
		dh_rt_diary_each(SLOT, 0, granule, count, &told);
	return told > 0;
}

static void places(void **unused)
{
	(void)unused;
	unsigned none = 0;
	for (unsigned i = 0; i < NOTES; i++) {
		note_place();
		if (i % 64)
			continue;
		const uintptr_t from = base + (dice_roll(&dice, ARENA) & -DH_GRANULE);
		const uintptr_t to =
		    from + DH_GRANULE * (1 + dice_roll(&dice, LINE / DH_GRANULE));
		const bool has = has_naively(from, to);
		assert_int_equal(is_told(from, to), has);
		assert_int_equal(dh_rt_diary_may_have(SLOT, from, to), has);
		none += !has;
	}
	assert_in_range(none, NOTES / 64 / 10, NOTES / 64 * 9 / 10);
}

/* ---- ranges ---- */

static uintptr_t noted_from[DH_RT_RANGES], noted_to[DH_RT_RANGES];

/* Some end beyond what the short numbers of lines go to. */
static void note_range(unsigned i)
{
	const uintptr_t far = ((uintptr_t)INT32_MAX + 1) << DH_LINE_BITS;
	const uintptr_t from = (dice_chance(&dice, 50) ? base : far - ARENA / 2) +
			       (dice_roll(&dice, ARENA) & -DH_GRANULE);
	const uintptr_t to =
	    from + DH_RT_RANGE_LEAST + (dice_roll(&dice, 8192) & -DH_GRANULE);
	dh_rt_diary_range(&me, from, to, true,
			  dh_record_make(dh_record_epoch(SLOT, 1), DH_WHOLE, false, 1));
	noted_from[i % DH_RT_RANGES] = from;
	noted_to[i % DH_RT_RANGES] = to;
}

static uint64_t touch_naively(uintptr_t from, uintptr_t to)
{
	uint64_t touch = 0;
	for (unsigned i = 0; i < DH_RT_RANGES; i++)
		if (noted_from[i] < to && noted_to[i] > from)
			touch |= (uint64_t)1 << i;
	return touch;
}

static void ranges(void **unused)
{
	(void)unused;
	unsigned none = 0;
	assert_int_equal(dh_rt_diary_ranges(SLOT, base, base + ARENA), 0);
	for (unsigned i = 0; i < NOTES / 10; i++) {
		note_range(i);
		const unsigned near = dice_roll(&dice, DH_RT_RANGES);
		const uintptr_t from = noted_from[near] +
				       (dice_roll(&dice, 16384) & -DH_GRANULE) -
				       (noted_from[near] ? 4096 : 0);
		const uintptr_t to =
		    from + DH_GRANULE * (1 + dice_roll(&dice, LINE / DH_GRANULE));
		const uint64_t touch = touch_naively(from, to);
		assert_true(dh_rt_diary_ranges(SLOT, from, to) == touch);
		none += !touch;
	}
	assert_in_range(none, NOTES / 100, NOTES / 10 * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places),
	    cmocka_unit_test(ranges),
	};
	return cmocka_run_group_tests_name("diary", tests, setup, NULL);
}
