/* SPDX-License-Identifier: MIT */
/* Waiting a moment at a lock (intercept/linger.h): it ends, and is left where in vain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "runtime/intercept/linger.h"
#include "runtime/race.h"
#include "runtime/thread.h"

static uint32_t held = 4, idle;

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static struct dh_patience *at_locks(void)
{
	return &dh_thread_self()->state->at_locks;
}

static void free_is_not_waited_for(void **unused)
{
	(void)unused;
	dh_linger(&idle, ~0u);
	dh_linger(&held, ~4u); /* none of the bits asked for */
	assert_int_equal(at_locks()->useless, 0);
}

static void vain_waits_are_given_up(void **unused)
{
	(void)unused;
	for (unsigned i = 1; i <= DH_PATIENCE; i++) {
		dh_linger(&held, ~0u);
		assert_int_equal(at_locks()->useless, i);
	}
	dh_linger(&held, ~0u);
	assert_int_equal(at_locks()->useless, DH_PATIENCE);
	assert_int_equal(at_locks()->left_out, 1);
}

static void and_tried_again(void **unused)
{
	(void)unused;
	for (unsigned i = at_locks()->left_out; i < DH_PATIENCE_RETRY - 1; i++)
		dh_linger_slow(&idle, ~0u);
	assert_int_equal(at_locks()->useless, DH_PATIENCE);
	for (unsigned i = 1; i <= DH_PATIENCE; i++) {
		dh_linger_slow(&idle, ~0u);
		assert_int_equal(at_locks()->useless, DH_PATIENCE - i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(free_is_not_waited_for),
	    cmocka_unit_test(vain_waits_are_given_up),
	    cmocka_unit_test(and_tried_again),
	};
	dh_threads_init();
	return cmocka_run_group_tests_name("linger", tests, NULL, NULL);
}
