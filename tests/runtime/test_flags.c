/* SPDX-License-Identifier: MIT */
/* The options of the runtime: parsing, and what is said of mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "runtime/flags.h"

static struct dh_flags f;
static struct dh_flag_error e;

static void good(const char *text)
{
	dh_flags_free(&f);
	dh_flags_default(&f);
	e.text[0] = '\0';
	if (!dh_flags_parse(&f, text, &e))
		fail_msg("%s: %s", text, e.text);
}

static void bad(const char *text, const char *why)
{
	dh_flags_free(&f);
	dh_flags_default(&f);
	assert_false(dh_flags_parse(&f, text, &e));
	assert_string_equal(e.text, why);
}

static void defaults(void **state)
{
	(void)state;
	good("");
	assert_string_equal(f.log, "");
	assert_int_equal(f.exit_code, 66);
	assert_int_equal(f.colour, DH_COLOUR_AUTO);
	assert_int_equal(f.fail_on, DH_FAIL_ON_OBSERVED);
	assert_false(f.quiet);
}

static void theirs(const char *text)
{
	dh_flags_free(&f);
	dh_flags_default(&f);
	dh_flags_parse_theirs(&f, text);
}

static void of_thread_sanitizer(void **state)
{
	(void)state;
	theirs(
	    "history_size=7:exitcode=5 halt_on_error=1,log_path=a/b:suppressions='c d'");
	assert_int_equal(f.exit_code, 5);
	assert_true(f.halt);
	assert_string_equal(f.log, "a/b.%p");
	assert_string_equal(f.suppressions, "c d");
	assert_false(f.quiet);
	theirs("exitcode=many:halt_on_error=0:log_path=stderr:report_bugs=0");
	assert_int_equal(f.exit_code, 0);
	assert_false(f.halt);
	assert_true(f.quiet);
	assert_string_equal(f.log, "");
	theirs("exitcode=many:report_bugs=1:exit_code=9:log=x:nonsense");
	assert_int_equal(f.exit_code, 66);
	assert_false(f.quiet);
	assert_string_equal(f.log, "");
}

static void values(void **state)
{
	(void)state;
	good("exit_code=0 quiet log=a,verbose:colour=never");
	assert_int_equal(f.exit_code, 0);
	assert_true(f.quiet);
	assert_true(f.verbose);
	assert_string_equal(f.log, "a");
	assert_int_equal(f.colour, DH_COLOUR_NEVER);
	good("exit-code=7 exit-code=255");
	assert_int_equal(f.exit_code, 255);
	good("  ,: quiet=yes quiet=no stats=1 verbose=false");
	assert_false(f.quiet);
	assert_true(f.stats);
	assert_false(f.verbose);
	good("log=");
	assert_string_equal(f.log, "");
}

static void quotes(void **state)
{
	(void)state;
	good("log='a b:c,d' quiet");
	assert_string_equal(f.log, "a b:c,d");
	assert_true(f.quiet);
	good("log=\"it's\"");
	assert_string_equal(f.log, "it's");
	good("log=a'b 'c=d");
	assert_string_equal(f.log, "ab c=d");
	good("log='open end");
	assert_string_equal(f.log, "open end");
}

static void unknown(void **state)
{
	(void)state;
	bad("quite", "no option 'quite'; did you mean 'quiet'?");
	bad("quiet exitcode=3", "no option 'exitcode'; did you mean 'exit-code'?");
	bad("fail_no=observed", "no option 'fail_no'; did you mean 'fail-on'?");
	bad("=", "no option ''; did you mean 'log'?");
}

static void wrong(void **state)
{
	(void)state;
	bad("exit-code=256",
	    "option 'exit-code' takes a whole number from 0 to 255, not '256'");
	bad("exit-code=-1",
	    "option 'exit-code' takes a whole number from 0 to 255, not '-1'");
	bad("exit-code=",
	    "option 'exit-code' takes a whole number from 0 to 255, not ''");
	bad("exit-code=99999999999999999999",
	    "option 'exit-code' takes a whole number from 0 to 255, not "
	    "'99999999999999999999'");
	bad("exit-code",
	    "option 'exit-code' takes a whole number from 0 to 255, and has none");
	bad("colour=sometimes",
	    "option 'colour' takes auto|always|never, not 'sometimes'");
	bad("colour=auto|always",
	    "option 'colour' takes auto|always|never, not 'auto|always'");
	bad("quiet=maybe", "option 'quiet' takes yes or no, not 'maybe'");
	bad("log", "option 'log' takes FILE, and has none");
}

static void long_ones(void **state)
{
	(void)state;
	char text[5000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_false(dh_flags_parse(&f, text, &e));
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	memcpy(text, "log=", 4);
	good(text);
	assert_int_equal(strlen(f.log), sizeof text - 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults),
	    cmocka_unit_test(values),
	    cmocka_unit_test(of_thread_sanitizer),
	    cmocka_unit_test(quotes),
	    cmocka_unit_test(unknown),
	    cmocka_unit_test(wrong),
	    cmocka_unit_test(long_ones),
	};
	dh_flags_default(&f);
	int failed = cmocka_run_group_tests_name("flags", tests, NULL, NULL);
	dh_flags_free(&f);
	return failed;
}
