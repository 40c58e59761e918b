/* SPDX-License-Identifier: MIT */
/*
 * Well-formedness: each rule of trace/check.h broken once, with place and message;
 * what must not be refused; and random events against the model of trace_kit.h.
 */
#include "trace_kit.h"
#include "trace/check.h"
#include "trace/quote.h"

#include <stdio.h>
#include <string.h>

static void test_locks(void **state)
{
	(void)state;
	kit_expect_error("T|r(x)|\nT|rel(l)|\n",
			 "trace:2: release of lock 'l', which thread 'T' does not hold");
	kit_expect_error("A|acq(l)|\nB|rel(l)|\n",
			 "trace:2: release of lock 'l', which thread 'B' does not hold");
	kit_expect_error("A|acq(l)|\nA|acq(l)|\nA|rel(l)|\nA|rel(l)|\nA|rel(l)|\n",
			 "trace:5: release of lock 'l', which thread 'A' does not hold");
	kit_expect_error(
	    "A|rdacq(l)|\nA|rel(l)|\n",
	    "trace:2: release of lock 'l', which thread 'A' does not hold in "
	    "write mode (rdrel ends a rdacq)");
	kit_expect_error(
	    "A|acq(l)|\nA|rdrel(l)|\n",
	    "trace:2: release of lock 'l', which thread 'A' does not hold in "
	    "read mode (rel ends an acq)");
	kit_expect_error("A|rdrel(l)|\n",
			 "trace:1: release of lock 'l', which thread 'A' does not hold");
	kit_expect_error(
	    "\n#\nA|acq(l)|\nB|acq(l)|\n",
	    "trace:4: acquire of lock 'l', which thread 'A' has held since line "
	    "3");
	kit_expect_error(
	    "A|acq(l)|\nA|acq(l)|\nA|rel(l)|\nB|acq(l)|\n",
	    "trace:4: acquire of lock 'l', which thread 'A' has held since line "
	    "1");
	kit_expect_error(
	    "A|acq(l)|\nB|rdacq(l)|\n",
	    "trace:2: acquire of lock 'l', which thread 'A' has held since line "
	    "1");
	kit_expect_error(
	    "A|rdacq(l)|\nB|acq(l)|\n",
	    "trace:2: acquire of lock 'l', which thread 'A' holds in read mode");
	kit_expect_error(
	    "A|rdacq(l)|\nB|rdacq(l)|\nA|acq(l)|\n",
	    "trace:3: acquire of lock 'l', which another thread holds in read "
	    "mode");
	/* A joined thread takes its locks with it. */
	kit_expect_error(
	    "A|acq(l)|\nB|join(A)|\nB|acq(l)|\n",
	    "trace:3: acquire of lock 'l', which thread 'A' has held since line "
	    "1");
}

static void test_locks_allowed(void **state)
{
	(void)state;
	kit_expect_error("A|rdacq(l)|\nB|rdacq(l)|\nA|rdrel(l)|\nB|acq(l)|\nB|rel(l)|\n"
			 "B|rdrel(l)|\nA|acq(l)|\n",
			 NULL);
	kit_expect_error("A|rdacq(l)|\nA|acq(l)|\nA|rdrel(l)|\nA|rel(l)|\nB|acq(l)|\n",
			 NULL);
	kit_expect_error("A|acq(l)|\nA|rdacq(l)|\nA|rel(l)|\nB|rdacq(l)|\nA|rdrel(l)|\n",
			 NULL);
	/* The same name as a lock, a variable, a thread, ... is not the same thing. */
	kit_expect_error("A|acq(A)|\nB|w(A)|\nB|vw(A)|\nB|snd(A)|\nB|benter(A)|\n", NULL);
}

static void test_threads(void **state)
{
	(void)state;
	kit_expect_error(
	    "A|r(x)|\nB|r(x)|\nA|fork(B)|\n",
	    "trace:3: fork of thread 'B', which has an event before its fork, "
	    "at line 2");
	kit_expect_error("A|join(B)|\nA|r(x)|\nB|r(x)|\n",
			 "trace:3: event of thread 'B' after its join at line 1");
	kit_expect_error("B|r(x)|\nA|join(B)|\nB|join(A)|\n",
			 "trace:3: event of thread 'B' after its join at line 2");
	kit_expect_error("A|fork(A)|\n", "trace:1: thread 'A' forks itself");
	kit_expect_error("A|join(A)|\n", "trace:1: thread 'A' joins itself");
	kit_expect_error("A|fork(B)|\nC|fork(B)|\n",
			 "trace:2: fork of thread 'B', which was forked at line 1");
	kit_expect_error("A|fork(B)|\nA|join(B)|\nA|fork(B)|\n",
			 "trace:3: fork of thread 'B', which was forked at line 1");
	kit_expect_error("A|join(B)|\nA|fork(B)|\n",
			 "trace:2: fork of thread 'B', which was joined at line 1");
}

static void test_threads_allowed(void **state)
{
	(void)state;
	kit_expect_error("A|join(B)|\nA|join(B)|\nC|join(B)|\n", NULL);
	kit_expect_error("A|fork(B)|\nA|fork(C)|\nB|r(x)|\nB|join(C)|\nA|join(B)|\n",
			 NULL);
	kit_expect_error("B|r(x)|\nA|join(B)|\n", NULL);
	kit_expect_error("T|fork(#1)|\n", NULL);
}

static void test_methods(void **state)
{
	(void)state;
	kit_expect_error("A|me(m)|\n",
			 "trace:1: me of 'm' without mb: thread 'A' has no open call");
	kit_expect_error("A|mb(m)|\nB|me(m)|\n",
			 "trace:2: me of 'm' without mb: thread 'B' has no open call");
	kit_expect_error(
	    "A|mb(m)|\nA|mb(n)|\nA|me(m)|\n",
	    "trace:3: me of 'm' without mb: the innermost open call of thread "
	    "'A' is 'n'");
	kit_expect_error("A|mb(m)|\nA|me(m)|\nA|me(m)|\n",
			 "trace:3: me of 'm' without mb: thread 'A' has no open call");
	kit_expect_error("A|mb(m:x)|\nA|mb(m)|\nA|mb(n)|\nA|me(n)|\nA|me(m)|\nA|me(m)|\n"
			 "A|mb(m)|\n",
			 NULL);
}

/* Names in messages are cut and cleaned; the message is one short line. */
static void test_long_names(void **state)
{
	(void)state;
	char text[400], message[400];
	char name[301], shown[65];
	memset(name, 'n', 300);
	memset(shown, 'n', 64);
	name[300] = shown[64] = '\0';
	snprintf(text, sizeof text, "\x1b\xff|rel(%s)|\n", name);
	snprintf(message, sizeof message,
		 "trace:1: release of lock '%s...', which thread '?\?' does not hold",
		 shown);
	kit_expect_error(text, message);
}

static void test_quote(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	    {"", "''"},
	    {"a\nb\x7f", "'a?b?'"},
	    {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
	     "'\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80'"},
	    {"\xc3", "'?'"},
	    {"\xe2\x82z", "'??z'"},
	    {"\x80\xff", "'?\?'"},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(cases); i++)
		assert_string_equal(dh_quote(cases[i][0], strlen(cases[i][0])).text,
				    cases[i][1]);
	/* 63 bytes and a character of two: it is not cut in the middle. */
	char text[70];
	memset(text, 'a', 63);
	strcpy(text + 63, "\xc3\xa4");
	assert_string_equal(dh_quote(text, 65).text + 60, "aaaa...'");
}

/* The bounds on what may be open, reached by hand. */
static void test_bounds(void **state)
{
	(void)state;
	struct dh_names *names = dh_names_new();
	struct dh_check c;
	struct dh_event mb = {.op = DH_METHOD_BEGIN}, acq = {.op = DH_ACQUIRE};
	dh_names_intern(names, DH_NAME_THREAD, "T", 1);
	dh_names_intern(names, DH_NAME_METHOD, "m", 1);
	dh_names_intern(names, DH_NAME_LOCK, "l", 1);
	dh_check_init(&c, names, "event");
	c.methods_open = DH_CHECK_METHODS_MAX - 1;
	assert_true(dh_check_event(&c, &mb, 0));
	assert_false(dh_check_event(&c, &mb, 1));
	assert_string_equal(c.message, "more than 16777216 calls (mb) are open");
	assert_true(dh_check_event(&c, &acq, 2));
	c.locks.at[0].write_depth = UINT32_MAX;
	assert_false(dh_check_event(&c, &acq, 3));
	assert_string_equal(c.message, "lock 'l' is held too often");
	dh_check_free(&c);
	dh_names_free(names);
}

static void test_nested(void **state)
{
	(void)state;
	struct kit k;
	static const bool nested[] = {false, true, false, true, true, false, true, false};
	kit_read_text(&k, "A|acq(l)|\nA|acq(l)|\nA|rdacq(l)|\nA|rdacq(l)|\n"
			  "A|rel(l)|\nA|rel(l)|\nA|rdrel(l)|\nA|rdrel(l)|\n");
	assert_int_equal(k.events.len, DH_ARRAY_LEN(nested));
	for (size_t i = 0; i < k.events.len; i++)
		assert_int_equal(k.events.at[i].nested, nested[i]);
	kit_close(&k);
}

/* ---- against the model ---- */

static void replay(struct dh_check *c, struct dh_names *names, const struct model *m)
{
	dh_check_init(c, names, "event");
	for (size_t i = 0; i < m->events.len; i++) {
		struct dh_event ev = m->events.at[i];
		assert_true(dh_check_event(c, &ev, i));
		assert_int_equal(ev.nested, m->events.at[i].nested);
	}
}

static void compare(struct dice *d, struct dh_names *names, unsigned guesses)
{
	struct model m = {0};
	struct dh_check c;
	replay(&c, names, &m);
	while (guesses-- > 0) {
		struct dh_event ev = model_guess(d), seen = ev;
		bool allowed = model_allows(&m, &ev);
		assert_int_equal(dh_check_event(&c, &seen, m.events.len), allowed);
		if (allowed) {
			assert_int_equal(seen.nested, ev.nested);
			model_add(&m, &ev);
		} else {
			assert_true(c.message[0] != '\0');
			dh_check_free(&c);
			replay(&c, names, &m);
		}
	}
	dh_check_free(&c);
	model_free(&m);
}

static void test_random(void **state)
{
	(void)state;
	struct dice d = {7};
	struct dh_names *names = dh_names_new();
	for (int k = 0; k < DH_NAME_KINDS; k++)
		for (char i = '0'; i < '8'; i++)
			dh_names_intern(names, k, &i, 1);
	for (int run = 0; run < 200; run++)
		compare(&d, names, 200);
	dh_names_free(names);
}

/* Many readers of many locks at a time: the ways in and out of the side table. */
static void test_many_readers(void **state)
{
	(void)state;
	struct dice d = {8};
	struct dh_names *names = dh_names_new();
	struct dh_check c;
	uint8_t depth[40][5] = {{0}};
	char name = 'n';
	for (int i = 0; i < 64; i++, name++) {
		dh_names_intern(names, DH_NAME_THREAD, &name, 1);
		dh_names_intern(names, DH_NAME_LOCK, &name, 1);
	}
	dh_check_init(&c, names, "event");
	for (int i = 0; i < 20000; i++) {
		struct dh_event ev = {.thread = dice_roll(&d, 40),
				      .target = dice_roll(&d, 5)};
		uint8_t *n = &depth[ev.thread][ev.target];
		ev.op = *n == 0 || (*n < 3 && dice_chance(&d, 40)) ? DH_READ_ACQUIRE
								   : DH_READ_RELEASE;
		*n = (uint8_t)(ev.op == DH_READ_ACQUIRE ? *n + 1 : *n - 1);
		assert_true(dh_check_event(&c, &ev, 0));
		assert_int_equal(ev.nested, ev.op == DH_READ_ACQUIRE ? *n > 1 : *n > 0);
	}
	dh_check_free(&c);
	dh_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_locks),	 cmocka_unit_test(test_locks_allowed),
	    cmocka_unit_test(test_threads),	 cmocka_unit_test(test_threads_allowed),
	    cmocka_unit_test(test_methods),	 cmocka_unit_test(test_long_names),
	    cmocka_unit_test(test_quote),	 cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_nested),	 cmocka_unit_test(test_random),
	    cmocka_unit_test(test_many_readers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
