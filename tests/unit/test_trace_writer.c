/* SPDX-License-Identifier: MIT */
/*
 * The writer and the files that it leaves: complete under their names, or not there.
 */
#include "trace_kit.h"
#include "trace/writer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "A|fork(B)|a\nB|mb(m:x,y)|b\nB|w(x)=3|\n";

/* Each test has an empty folder, which is its working directory. */
static char folder[100];

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s/deadheat-test-XXXXXX", P_tmpdir);
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* Removes the folder's files; returns how many there were. */
static int sweep(void)
{
	DIR *d = opendir(folder);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			n += unlink(e->d_name) == 0;
	closedir(d);
	return n;
}

static int teardown(void **state)
{
	(void)state;
	sweep();
	return chdir("/") || rmdir(folder) ? -1 : 0;
}

static void put_file(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static void expect_file(const char *path, const char *content)
{
	char got[200] = "";
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	got[fread(got, 1, sizeof got - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(got, content);
}

/* Writes the trace `text`; finishes it or not. The result of the last step. */
static int write_trace(const char *path, enum dh_trace_format format, bool finish)
{
	struct kit k;
	struct dh_writer *w;
	kit_read_text(&k, text);
	int status = dh_writer_open(&w, path, format);
	for (size_t i = 0; i < k.events.len && !status; i++)
		status = dh_writer_put(w, dh_reader_names(k.reader), &k.events.at[i]);
	if (!status && finish)
		status = dh_writer_finish(w);
	assert_int_equal(status != 0, dh_writer_error(w) != NULL);
	dh_writer_close(w);
	kit_close(&k);
	return status;
}

static void test_text(void **state)
{
	(void)state;
	assert_int_equal(write_trace("t", DH_TRACE_TEXT, true), 0);
	expect_file("t", text);
	assert_int_equal(sweep(), 1);
}

static void test_binary(void **state)
{
	(void)state;
	struct kit k;
	assert_int_equal(write_trace("t", DH_TRACE_BINARY, true), 0);
	kit_read_file(&k, "t");
	assert_int_equal(k.result, 0);
	assert_null(dh_reader_damage(k.reader));
	assert_int_equal(dh_reader_format(k.reader), DH_TRACE_BINARY);
	struct dh_bytes back = kit_as(&k, DH_TRACE_TEXT);
	assert_int_equal(back.len, sizeof text - 1);
	assert_memory_equal(back.at, text, back.len);
	dh_vec_free(&back);
	kit_close(&k);
	assert_int_equal(sweep(), 1);
}

/* Without an end there is no file, and an old one stays. */
static void test_unfinished(void **state)
{
	(void)state;
	assert_int_equal(write_trace("t", DH_TRACE_BINARY, false), 0);
	assert_int_equal(sweep(), 0);
	put_file("t", "old");
	assert_int_equal(write_trace("t", DH_TRACE_TEXT, false), 0);
	expect_file("t", "old");
	assert_int_equal(sweep(), 1);
}

static void test_replaced(void **state)
{
	(void)state;
	struct stat st;
	put_file("t", "old");
	assert_int_equal(chmod("t", 0640), 0);
	assert_int_equal(symlink("t", "link"), 0);
	assert_int_equal(write_trace("link", DH_TRACE_TEXT, true), 0);
	expect_file("t", text);
	assert_int_equal(stat("t", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(sweep(), 2);
}

static void test_rights(void **state)
{
	(void)state;
	struct stat st;
	mode_t mask = umask(027);
	assert_int_equal(write_trace("t", DH_TRACE_TEXT, true), 0);
	umask(mask);
	assert_int_equal(stat("t", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void test_full_disk(void **state)
{
	(void)state;
	struct dh_writer *w;
	assert_int_equal(write_trace("/dev/null", DH_TRACE_BINARY, true), 0);
	assert_int_equal(write_trace("/dev/full", DH_TRACE_TEXT, true), -ENOSPC);
	assert_int_equal(write_trace("/dev/full", DH_TRACE_BINARY, true), -ENOSPC);
	assert_int_equal(dh_writer_open(&w, "/dev/full", DH_TRACE_BINARY), -ENOSPC);
	assert_string_equal(dh_writer_error(w), "/dev/full: No space left on device");
	assert_int_equal(dh_writer_finish(w), -ENOSPC);
	dh_writer_close(w);
	dh_writer_close(NULL);
}

static void test_no_folder(void **state)
{
	(void)state;
	struct dh_writer *w;
	assert_int_equal(dh_writer_open(&w, "none/t", DH_TRACE_TEXT), -ENOENT);
	assert_string_equal(dh_writer_error(w), "none/t: No such file or directory");
	dh_writer_close(w);
	assert_int_equal(dh_writer_open(&w, ".", DH_TRACE_TEXT), -EISDIR);
	dh_writer_close(w);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_text),	  TEST(test_binary), TEST(test_unfinished),
	    TEST(test_replaced),  TEST(test_rights), TEST(test_full_disk),
	    TEST(test_no_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
