/* SPDX-License-Identifier: MIT */
/* The JSON writer: nesting, escaping, and what goes into a page. */
#include "report/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

static char *written;
static size_t written_len;

static struct dh_json begin(bool markup)
{
	return (struct dh_json){.to = open_memstream(&written, &written_len),
				.markup = markup};
}

static void ends_as(struct dh_json *j, const char *text)
{
	fclose(j->to);
	assert_string_equal(written, text);
	free(written);
}

static void nesting(void **state)
{
	(void)state;
	struct dh_json j = begin(false);
	dh_json_open(&j, NULL, '{');
	dh_json_number(&j, "a", UINT64_MAX);
	dh_json_open(&j, "b", '[');
	dh_json_bool(&j, NULL, true);
	dh_json_null(&j, NULL);
	dh_json_open(&j, NULL, '{');
	dh_json_close(&j, '}');
	dh_json_signed(&j, NULL, INT64_MIN);
	dh_json_close(&j, ']');
	dh_json_text(&j, "c", "");
	dh_json_close(&j, '}');
	ends_as(&j, "{\"a\":18446744073709551615,\"b\":[true,null,{},-9223372036854775808],"
		    "\"c\":\"\"}");
}

static void escaping(void **state)
{
	(void)state;
	struct dh_json j = begin(false);
	dh_json_text(&j, NULL, "\"\\/\n\x7f <a>&\xe2\x80\xa8\xc3\xa9");
	ends_as(&j, "\"\\\"\\\\/\\u000a\\u007f <a>&\xe2\x80\xa8\xc3\xa9\"");
}

static void bytes_that_are_no_text(void **state)
{
	(void)state;
	struct dh_json j = begin(false);
	dh_json_text(&j, NULL, "a\xff\xc3(\xe2\x80");
	ends_as(&j, "\"a\\ufffd\\ufffd(\\ufffd\\ufffd\"");
	j = begin(false);
	dh_json_bytes(&j, NULL, "abc\xc3\xa9", 4);
	ends_as(&j, "\"abc\\ufffd\"");
	j = begin(false);
	dh_json_bytes(&j, NULL, "a\0b", 3);
	ends_as(&j, "\"a\\u0000b\"");
}

static void in_a_page(void **state)
{
	(void)state;
	struct dh_json j = begin(true);
	dh_json_text(&j, NULL, "</script><!--&]]>\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\"");
	ends_as(&j, "\"\\u003c/script\\u003e\\u003c!--\\u0026]]\\u003e\\u2028\\u2029"
		    "\xe2\x80\xaa\\\"\"");
	j = begin(true);
	dh_json_open(&j, NULL, '{');
	dh_json_number(&j, "<", 1);
	dh_json_close(&j, '}');
	ends_as(&j, "{\"\\u003c\":1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nesting),
	    cmocka_unit_test(escaping),
	    cmocka_unit_test(bytes_that_are_no_text),
	    cmocka_unit_test(in_a_page),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
