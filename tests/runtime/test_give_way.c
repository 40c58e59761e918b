/* SPDX-License-Identifier: MIT */
/* Standing aside (give_way.h) is left where nobody changes the variable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "runtime/give_way.h"
#include "runtime/race.h"
#include "runtime/thread.h"

static _Alignas(8) uint32_t variable[2];

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static struct dh_patience *patience(void)
{
	return &dh_thread_self()->state->giving_way;
}

static void give_way(void)
{
	dh_give_way((uintptr_t)&variable[1]);
}

static void left_where_nothing_changes(void **unused)
{
	(void)unused;
	for (unsigned i = 1; i <= DH_PATIENCE; i++) {
		give_way();
		assert_int_equal(patience()->useless, i);
	}
	give_way();
	assert_int_equal(patience()->left_out, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(left_where_nothing_changes),
	};
	dh_threads_init();
	return cmocka_run_group_tests_name("give_way", tests, NULL, NULL);
}
