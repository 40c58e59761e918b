/* SPDX-License-Identifier: MIT */
/* The JSON reader: values as they were written, whatever escapes they came in; what is no
 * JSON is refused, with the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_read.h"

static struct dh_json_reader reader;
static char *bytes; /* exactly as long as the input, so that a sanitizer sees overruns */

static const struct dh_json_value *read_text(const char *text)
{
	size_t len = strlen(text);
	free(bytes);
	bytes = malloc(len ? len : 1);
	memcpy(bytes, text, len);
	return dh_json_read(&reader, bytes, len);
}

static void values_of_all_types(void **state)
{
	(void)state;
	const struct dh_json_value *v =
	    read_text(" {\"a\": [1, -2, 3.5e2, true, false, null, \"x\"], \"b\": {}, "
		      "\"\": {\"a\": 7}} ");
	assert_non_null(v);
	const struct dh_json_value *a = dh_json_get(v, "a"), *c = dh_json_first(a);
	assert_int_equal(dh_json_uint(c, 9), 1);
	c = dh_json_next(a, c);
	assert_int_equal(dh_json_int(c, 9), -2);
	assert_int_equal(dh_json_uint(c, 9), 9);
	c = dh_json_next(a, c);
	assert_int_equal(dh_json_uint(c, 9), 9);
	assert_true(dh_json_is(c = dh_json_next(a, c), DH_JSON_TRUE));
	assert_true(dh_json_is(c = dh_json_next(a, c), DH_JSON_FALSE));
	assert_true(dh_json_is(c = dh_json_next(a, c), DH_JSON_NULL));
	assert_string_equal(dh_json_text_of(c = dh_json_next(a, c)), "x");
	assert_null(dh_json_next(a, c));
	assert_null(dh_json_first(dh_json_get(v, "b")));
	assert_int_equal(dh_json_uint(dh_json_get(dh_json_get(v, ""), "a"), 0), 7);
	assert_null(dh_json_get(v, "c"));
	assert_null(dh_json_get(a, "a"));
}

static void check_text(const char *json, const char *want)
{
	const struct dh_json_value *v = read_text(json);
	assert_non_null(v);
	assert_string_equal(dh_json_text_of(v), want);
	assert_int_equal(v->len, strlen(want));
}

static void texts(void **state)
{
	(void)state;
	check_text("\"\"", "");
	check_text("\"a long text that has no escapes\"",
		   "a long text that has no escapes");
	check_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
	check_text("\"seven..\\n and more than eight\\\"\"",
		   "seven..\n and more than eight\"");
	check_text("\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"",
		   "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	check_text("\"\\u0000x\\ud800y\\udc00\"",
		   "\xef\xbf\xbdx\xef\xbf\xbdy\xef\xbf\xbd");
	check_text("\"\\ud800\\u0041\"", "\xef\xbf\xbd"
					 "A");
	check_text("\"\xff\xfe not UTF-8\"", "\xff\xfe not UTF-8");
}

static void numbers_at_their_limits(void **state)
{
	(void)state;
	assert_true(dh_json_uint(read_text("18446744073709551615"), 1) == UINT64_MAX);
	assert_int_equal(dh_json_uint(read_text("18446744073709551616"), 1), 1);
	assert_int_equal(dh_json_uint(read_text("99999999999999999999"), 1), 1);
	assert_true(dh_json_int(read_text("-9223372036854775807"), 1) == -INT64_MAX);
	assert_int_equal(dh_json_int(read_text("9223372036854775808"), 1), 1);
	assert_int_equal(dh_json_uint(read_text("1e3"), 1), 1);
	assert_int_equal(dh_json_uint(read_text("\"1\""), 5), 5);
	assert_int_equal(dh_json_uint(NULL, 5), 5);
}

static void check_refused(const char *json, size_t at, bool cut)
{
	assert_null(read_text(json));
	assert_non_null(reader.error);
	assert_int_equal(reader.at, at);
	assert_int_equal(reader.cut, cut);
}

static void refusals(void **state)
{
	(void)state;
	check_refused("", 0, true);
	check_refused("{\"a\": 1", 7, true);
	check_refused("[1, 2", 5, true);
	check_refused("\"ab", 3, true);
	check_refused("\"ab\\", 4, true);
	check_refused("tru", 3, true);
	check_refused("trux", 0, false);
	check_refused("[1 2]", 3, false);
	check_refused("{\"a\" 1}", 5, false);
	check_refused("{a: 1}", 1, false);
	check_refused("{} x", 3, false);
	check_refused("\"a\tb\"", 2, false);
	check_refused("\"\\q\"", 3, false);
	check_refused("\"\\u12g4\"", 3, false);
	check_refused("[1,]", 3, false);
	check_refused("-", 1, true);
}

static void depth_is_bounded(void **state)
{
	(void)state;
	char deep[1000];
	memset(deep, '[', sizeof deep);
	assert_null(dh_json_read(&reader, deep, sizeof deep));
	assert_false(reader.cut);
	assert_non_null(read_text("[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_of_all_types),     cmocka_unit_test(texts),
	    cmocka_unit_test(numbers_at_their_limits), cmocka_unit_test(refusals),
	    cmocka_unit_test(depth_is_bounded),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	dh_json_reader_free(&reader);
	free(bytes);
	return failed;
}
