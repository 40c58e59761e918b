/* SPDX-License-Identifier: MIT */
/* Which slot a new thread gets (slots.h). */
#include "runtime/slots.h"
#include "runtime/access.h"
#include "runtime/race.h"
#include "runtime/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MANY = 100, LAST = 7 };

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

/* Of many that have ended, the creator has waited for those that ended first alone. */
static void known_ones_behind_others(void **state)
{
	static uint32_t creator[DH_SLOTS];
	uint32_t slot[MANY], id = 1;
	uint64_t reused, shared, renewed;
	(void)state;
	for (int i = 0; i < MANY; i++)
		slot[i] = dh_slot_take(creator, id++);
	for (int i = 0; i < MANY; i++) {
		dh_slot_give(slot[i], LAST);
		creator[slot[i]] = i < MANY / 2 ? LAST : LAST - 1;
	}
	for (int i = 0; i < MANY / 2; i++)
		assert_int_equal(creator[dh_slot_take(creator, id++)], LAST);
	assert_int_equal(creator[dh_slot_take(creator, id++)], 0);
	dh_slots_get_stats(&reused, &shared, &renewed);
	assert_int_equal(reused, MANY / 2);
	assert_int_equal(shared + renewed, 0);
}

/* Where all have been used, one that the creator knows to its end; else any, and it is
 * counted. */
static void all_in_use_once(void **state)
{
	static uint32_t creator[DH_SLOTS];
	uint32_t slot, last = 0, id = 1000;
	uint64_t reused, before, shared, renewed;
	(void)state;
	dh_slots_get_stats(&reused, &before, &renewed);
	while (dh_slot_count < DH_SLOT_TAG)
		last = dh_slot_take(NULL, id++);
	dh_slot_give(last, LAST);
	creator[last] = LAST;
	assert_int_equal(dh_slot_take(creator, id++), last);
	dh_slots_get_stats(&reused, &shared, &renewed);
	assert_int_equal(shared, before);
	dh_slot_give(last, LAST + 1);
	slot = dh_slot_take(creator, id++);
	assert_int_not_equal(slot, 0);
	dh_slots_get_stats(&reused, &shared, &renewed);
	assert_int_equal(shared, before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_ones_behind_others),
	    cmocka_unit_test(all_in_use_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
