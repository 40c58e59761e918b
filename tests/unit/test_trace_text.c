/* SPDX-License-Identifier: MIT */
/*
 * The text format: names, every operation, every way for a line to be malformed,
 * printing, and lines as files deliver them.
 */
#include "trace_kit.h"
#include "trace/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

static void test_names(void **state)
{
	(void)state;
	struct dh_names *n = dh_names_new();
	uint32_t id;
	assert_int_equal(dh_names_count(n, DH_NAME_SITE), 1);
	assert_int_equal(dh_names_intern(n, DH_NAME_SITE, "", 0), DH_SITE_NONE);
	assert_int_equal(dh_names_count(n, DH_NAME_VAR), 0);
	assert_false(dh_names_find(n, DH_NAME_VAR, "x", 1, &id));
	assert_int_equal(dh_names_intern(n, DH_NAME_VAR, "xy", 1), 0);
	assert_int_equal(dh_names_intern(n, DH_NAME_VAR, "xy", 2), 1);
	assert_int_equal(dh_names_intern(n, DH_NAME_VAR, "x\0y", 3), 2);
	assert_int_equal(dh_names_intern(n, DH_NAME_LOCK, "xy", 2), 0);
	assert_int_equal(dh_names_intern(n, DH_NAME_VAR, "x", 1), 0);
	assert_true(dh_names_find(n, DH_NAME_VAR, "xy", 2, &id));
	assert_int_equal(id, 1);
	assert_string_equal(dh_names_text(n, DH_NAME_VAR, 0), "x");
	assert_int_equal(dh_names_length(n, DH_NAME_VAR, 2), 3);
	assert_memory_equal(dh_names_text(n, DH_NAME_VAR, 2), "x\0y\0", 4);
	dh_names_free(n);
	dh_names_free(NULL);
}

/* Texts keep their places while the table grows; lengths of all sorts. */
static void test_many_names(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	struct dh_names *n = dh_names_new();
	const char *first = dh_names_text(n, DH_NAME_SITE, 0);
	static char text[70000];
	memset(text, 'a', sizeof text);
	for (uint32_t i = 0; i < COUNT; i++) {
		size_t len = (size_t)snprintf(text, sizeof text, "%u", i);
		text[len] = 'a';
		assert_int_equal(dh_names_intern(n, DH_NAME_VAR, text, len + i % 40), i);
	}
	uint32_t big = dh_names_intern(n, DH_NAME_VAR, text, sizeof text);
	for (uint32_t i = 0; i < COUNT; i++) {
		const char *kept = dh_names_text(n, DH_NAME_VAR, i);
		size_t len = dh_names_length(n, DH_NAME_VAR, i);
		assert_int_equal(strtoul(kept, NULL, 10), i);
		assert_int_equal(strlen(kept), len);
		assert_int_equal(dh_names_intern(n, DH_NAME_VAR, kept, len), i);
	}
	assert_int_equal(big, COUNT);
	assert_memory_equal(dh_names_text(n, DH_NAME_VAR, big), text, sizeof text);
	assert_ptr_equal(dh_names_text(n, DH_NAME_SITE, 0), first);
	dh_names_free(n);
}

static void test_allowed(void **state)
{
	(void)state;
	static const char excluded[] = "|(),=: \t\n\v\f\r";
	for (int c = 0; c < 256; c++) {
		char text[3] = {'a', (char)c, 'b'};
		bool stop = c && strchr(excluded, c);
		assert_int_equal(dh_names_allowed(DH_NAME_VAR, text, 3), !stop);
		assert_int_equal(dh_names_allowed(DH_NAME_SITE, text, 3),
				 c != '|' && c != '\n');
	}
	assert_false(dh_names_allowed(DH_NAME_VAR, "", 0));
	assert_true(dh_names_allowed(DH_NAME_SITE, "", 0));
	assert_false(dh_names_allowed(DH_NAME_SITE, "a\r", 2));
}

/* ---- lines ---- */

static void expect_name(const struct kit *k, enum dh_name_kind kind, uint32_t id,
			const char *text)
{
	assert_string_equal(dh_names_text(dh_reader_names(k->reader), kind, id), text);
}

static void test_operations(void **state)
{
	(void)state;
	for (int op = 0; op < DH_OP_COUNT; op++) {
		char text[100];
		struct kit k;
		const char *before = op == DH_RELEASE	     ? "T|acq(arg)|\n"
				     : op == DH_READ_RELEASE ? "T|rdacq(arg)|\n"
				     : op == DH_METHOD_END   ? "T|mb(arg)|\n"
							     : "";
		snprintf(text, sizeof text, "%sT|%s(arg)|here", before, dh_op_text(op));
		kit_read_text(&k, text);
		assert_int_equal(k.result, 0);
		assert_int_equal(k.events.len, *before ? 2 : 1);
		struct dh_event ev = k.events.at[k.events.len - 1];
		assert_int_equal(ev.op, op);
		assert_false(ev.has_value);
		assert_int_equal(ev.reach_count, 0);
		expect_name(&k, DH_NAME_THREAD, ev.thread, "T");
		expect_name(&k, dh_op_kind(op), ev.target, "arg");
		expect_name(&k, DH_NAME_SITE, ev.site, "here");
		kit_close(&k);
	}
}

static void test_values(void **state)
{
	(void)state;
	struct kit k;
	static const int64_t values[] = {0, 5, -5, 7, INT64_MAX, INT64_MIN};
	kit_read_text(&k, "T|r(x)=0|\nT|w(x)=+5\nT|w(x)=-5|a\nT|r(x)=007|\n"
			  "T|r(x)=9223372036854775807|\nT|r(x)=-9223372036854775808|\n");
	assert_int_equal(k.result, 0);
	for (size_t i = 0; i < DH_ARRAY_LEN(values); i++) {
		assert_true(k.events.at[i].has_value);
		assert_true(k.events.at[i].value == values[i]);
	}
	kit_close(&k);
}

static void test_reach(void **state)
{
	(void)state;
	struct kit k;
	kit_read_text(&k, "T|mb(m:x,y,x)|a\nT|mb(m:y)|a\nT|mb(m)|a\n");
	assert_int_equal(k.result, 0);
	assert_int_equal(k.events.at[0].reach_count, 3);
	expect_name(&k, DH_NAME_VAR, k.events.at[0].reach[0], "x");
	expect_name(&k, DH_NAME_VAR, k.events.at[0].reach[1], "y");
	expect_name(&k, DH_NAME_VAR, k.events.at[0].reach[2], "x");
	assert_int_equal(k.events.at[1].reach_count, 1);
	assert_int_equal(k.events.at[2].reach_count, 0);
	kit_close(&k);
}

/* What counts as a line, and as a location. */
static void test_layout(void **state)
{
	(void)state;
	struct kit k;
	kit_read_text(&k, "\n# comment | ( \n\r\nT|r(x)|a b: c=(d),\r\nT|r(x)|\nT|r(x)\n"
			  "#\nT|r(x)|last");
	assert_int_equal(k.result, 0);
	assert_int_equal(k.events.len, 4);
	expect_name(&k, DH_NAME_SITE, k.events.at[0].site, "a b: c=(d),");
	assert_int_equal(k.events.at[1].site, DH_SITE_NONE);
	assert_int_equal(k.events.at[2].site, DH_SITE_NONE);
	expect_name(&k, DH_NAME_SITE, k.events.at[3].site, "last");
	kit_close(&k);
	kit_expect_error("", NULL);
	kit_expect_error("#", NULL);
	kit_expect_error("\r", NULL);
}

/* Bytes of every sort in names, NUL too. */
static void test_bytes(void **state)
{
	(void)state;
	static const char text[] = "\xff#|r(a\0b)|\0\x80\n";
	struct kit k;
	kit_read(&k, text, sizeof text - 1);
	assert_int_equal(k.result, 0);
	assert_int_equal(dh_names_length(dh_reader_names(k.reader), DH_NAME_VAR, 0), 3);
	struct dh_bytes again = kit_as(&k, DH_TRACE_TEXT);
	assert_int_equal(again.len, sizeof text - 1);
	assert_memory_equal(again.at, text, again.len);
	dh_vec_free(&again);
	kit_close(&k);
}

static void test_malformed(void **state)
{
	(void)state;
	static const struct {
		const char *line, *message;
	} bad[] = {
	    {"T|foo(x)|", "unknown operation 'foo'"},
	    {"T|R(x)|", "unknown operation 'R'"},
	    {"T|re(x)|", "unknown operation 're'"},
	    {"T|begin|0", "malformed line: '(' after the operation expected before '|0'"},
	    {"|r(x)|", "malformed line: a thread expected before '|r(x)|'"},
	    {" T|r(x)|", "malformed line: a thread expected before ' T|r(x)|'"},
	    {" ", "malformed line: a thread expected before ' '"},
	    {"T", "malformed line: '|' after the thread expected at its end"},
	    {"T r(x)|", "malformed line: '|' after the thread expected before ' r(x)|'"},
	    {"T|", "malformed line: an operation expected at its end"},
	    {"T|(x)|", "malformed line: an operation expected before '(x)|'"},
	    {"T|r", "malformed line: '(' after the operation expected at its end"},
	    {"T|r(", "malformed line: an argument expected at its end"},
	    {"T|r()|", "malformed line: an argument expected before ')|'"},
	    {"T|r(x", "malformed line: ')' after the argument expected at its end"},
	    {"T|r(x|", "malformed line: ')' after the argument expected before '|'"},
	    {"T|r(x y)|",
	     "malformed line: ')' after the argument expected before ' y)|'"},
	    {"T|r(x:y)|",
	     "malformed line: ')' after the argument expected before ':y)|'"},
	    {"T|r(x,y)|",
	     "malformed line: ')' after the argument expected before ',y)|'"},
	    {"T|me(m:x)|",
	     "malformed line: ')' after the argument expected before ':x)|'"},
	    {"T|mb(m:)|", "malformed line: a variable expected before ')|'"},
	    {"T|mb(m:x,)|", "malformed line: a variable expected before ')|'"},
	    {"T|mb(m,x)|",
	     "malformed line: ')' after the argument expected before ',x)|'"},
	    {"T|r(x)=|", "malformed line: an integer expected before '|'"},
	    {"T|r(x)=-|", "malformed line: an integer expected before '|'"},
	    {"T|r(x)=a|", "malformed line: an integer expected before 'a|'"},
	    {"T|r(x)=1a|",
	     "malformed line: '|' or the end of the line expected before 'a|'"},
	    {"T|r(x)=9223372036854775808|", "malformed line: value '9223372036854775808' "
					    "does not fit in 64 bits, signed"},
	    {"T|r(x)=-9223372036854775809|",
	     "malformed line: value '-9223372036854775809' does not fit in 64 bits, "
	     "signed"},
	    {"T|r(x)=99999999999999999999999|",
	     "malformed line: value '99999999999999999999999' does not fit in 64 bits, "
	     "signed"},
	    {"T|acq(l)=1|",
	     "malformed line: '|' or the end of the line expected before '=1|'"},
	    {"T|r(x) |",
	     "malformed line: '|' or the end of the line expected before ' |'"},
	    {"T|r(x)|a|b", "malformed line: '|' in the location 'a|b'"},
	    {"T|r(x)||", "malformed line: '|' in the location '|'"},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(bad); i++) {
		char text[100], message[200];
		snprintf(text, sizeof text, "# one\nT|r(x)|\n%s\r\nT|r(x)|\n",
			 bad[i].line);
		snprintf(message, sizeof message, "trace:3: %s", bad[i].message);
		kit_expect_error(text, message);
	}
}

static void test_other_files(void **state)
{
	(void)state;
	kit_expect_error(
	    "\x1f\x8b\x08",
	    "trace:1: malformed line: no trace but a gzip file: unpack it first");
	kit_expect_error("\x7f\x45LF\n",
			 "trace:1: malformed line: no trace but a program");
	kit_expect_error("\x89"
			 "DHT\n\x1a\n....",
			 "trace: a binary trace whose first bytes were changed, as by a "
			 "transfer in text mode");
	/* Odd, but a thread may have that name. */
	kit_expect_error("\x89"
			 "DHT|r(x)|\n",
			 NULL);
}

/* ---- files ---- */

static char *temporary(const void *data, size_t len)
{
	char *path = strdup(P_tmpdir "/deadheat-test-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
	return path;
}

/* 30,000 lines, and in their middle one that is longer than the window. */
static struct dh_bytes much_text(void)
{
	struct dh_bytes text = {0};
	for (int i = 0; i < 30000; i++) {
		char line[64];
		int n = snprintf(line, sizeof line, "T%d|w(v%d)=%d|f.c:%d\n", i % 7,
				 i % 1001, i, i % 77);
		dh_bytes_put(&text, line, (size_t)n);
	}
	dh_bytes_put(&text, "T|mb(m:v", 8);
	for (int i = 0; i < 350000; i++)
		dh_bytes_put(&text, ",v", 2);
	dh_bytes_put(&text, ")|\nT|me(m)|\n", 12);
	for (int i = 0; i < 30000; i++)
		dh_bytes_put(&text, "T|r(y)|f\n", 9);
	return text;
}

/* Lines across the edges of the window. */
static void test_windows(void **state)
{
	(void)state;
	struct dh_bytes text = much_text();
	char *path = temporary(text.at, text.len);
	struct kit k;
	kit_read_file(&k, path);
	assert_int_equal(k.result, 0);
	assert_int_equal(k.events.len, 60002);
	struct dh_bytes again = kit_as(&k, DH_TRACE_TEXT);
	assert_int_equal(again.len, text.len);
	assert_memory_equal(again.at, text.at, text.len);
	uint64_t done, total;
	dh_reader_progress(k.reader, &done, &total);
	assert_int_equal(done, text.len);
	assert_int_equal(total, text.len);
	dh_vec_free(&again);
	dh_vec_free(&text);
	kit_close(&k);
	unlink(path);
	free(path);
}

static void test_pipe(void **state)
{
	(void)state;
	int ends[2];
	char path[40];
	static const char text[] = "A|w(x)|\nA|rel(l)|";
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	close(ends[1]);
	struct kit k;
	uint64_t done, total;
	kit_read_file(&k, path);
	assert_int_equal(k.events.len, 1);
	assert_true(k.result < 0);
	dh_reader_progress(k.reader, &done, &total);
	assert_int_equal(total, 0);
	kit_close(&k);
	close(ends[0]);
}

static void test_no_file(void **state)
{
	(void)state;
	struct dh_reader *r;
	assert_int_equal(dh_reader_open(&r, "/no/such/file"), -ENOENT);
	assert_string_equal(dh_reader_error(r),
			    "/no/such/file: No such file or directory");
	dh_reader_close(r);
	assert_int_equal(dh_reader_open(&r, "/"), -EISDIR);
	assert_string_equal(dh_reader_error(r), "/: Is a directory");
	dh_reader_close(r);
	dh_reader_close(NULL);
}

static void test_print_stream(void **state)
{
	(void)state;
	struct kit k;
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	kit_read_text(&k, "T|mb(m:x,y)|a\nT|w(x)=-1");
	for (size_t i = 0; i < k.events.len; i++)
		dh_text_print(to, &k.events.at[i], dh_reader_names(k.reader));
	fclose(to);
	assert_string_equal(text, "T|mb(m:x,y)|a\nT|w(x)=-1|\n");
	free(text);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),     cmocka_unit_test(test_many_names),
	    cmocka_unit_test(test_allowed),   cmocka_unit_test(test_operations),
	    cmocka_unit_test(test_values),    cmocka_unit_test(test_reach),
	    cmocka_unit_test(test_layout),    cmocka_unit_test(test_bytes),
	    cmocka_unit_test(test_malformed), cmocka_unit_test(test_other_files),
	    cmocka_unit_test(test_windows),   cmocka_unit_test(test_pipe),
	    cmocka_unit_test(test_no_file),   cmocka_unit_test(test_print_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
