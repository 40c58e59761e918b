/* SPDX-License-Identifier: MIT */
/* Short waits are left where they were in vain, and for longer where one was dear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "runtime/patience.h"

/* How often it is left out before it is tried again. */
static unsigned left_out(struct dh_patience *p)
{
	unsigned n = 0;
	while (!dh_patience_has(p))
		n++;
	return n;
}

static void in_vain(void **unused)
{
	(void)unused;
	struct dh_patience p = {0};
	for (unsigned i = 0; i < DH_PATIENCE; i++) {
		assert_true(dh_patience_has(&p));
		dh_patience_note(&p, false);
	}
	assert_int_equal(left_out(&p), DH_PATIENCE_RETRY - 1);
	dh_patience_note(&p, true);
	assert_true(dh_patience_has(&p));
}

static void dear(void **unused)
{
	(void)unused;
	struct dh_patience p = {0};
	dh_patience_lose(&p);
	assert_int_equal(left_out(&p), DH_PATIENCE_LONG - 1);
	dh_patience_lose(&p);
	assert_int_equal(left_out(&p), DH_PATIENCE_LONG - 1);
	dh_patience_note(&p, false); /* in vain, but not dear any more */
	assert_int_equal(left_out(&p), DH_PATIENCE_RETRY - 1);
	for (unsigned i = 0; i <= DH_PATIENCE_LOST; i++)
		dh_patience_note(&p, true);
	assert_int_equal(p.useless, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_vain),
	    cmocka_unit_test(dear),
	};
	return cmocka_run_group_tests_name("patience", tests, NULL, NULL);
}
