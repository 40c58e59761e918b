/* SPDX-License-Identifier: MIT */
/*
 * Replays what the fuzzers found worth keeping (tests/fuzz/corpus): each file is
 * drained as the fuzzers do it, whole and cut at many places. The folder is the first
 * argument, or $DH_FUZZ_CORPUS.
 */
#include "dice.h"
#include "drain.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *corpus;

static uint8_t *load(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*len = (size_t)ftell(f);
	rewind(f);
	uint8_t *data = malloc(*len + 1);
	assert_int_equal(fread(data, 1, *len, f), *len);
	fclose(f);
	return data;
}

/* A block of exactly the size, so that a sanitizer sees a step over its edge. */
static uint64_t drain_exactly(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	memcpy(copy, data, len);
	uint64_t events = drain(copy, len);
	free(copy);
	return events;
}

static void replay(const char *kind)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", corpus, kind);
	DIR *d = opendir(path);
	if (!d)
		fail_msg("no folder %s", path);
	int files = 0;
	uint64_t events = 0;
	for (struct dirent *e; (e = readdir(d));) {
		size_t len;
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s/%s", corpus, kind, e->d_name);
		uint8_t *data = load(path, &len);
		events += drain_exactly(data, len);
		/* At most 40 cuts a file, so that this stays quick. */
		for (size_t n = 0, by = len / 40 + 1; n < len; n += by)
			drain_exactly(data, n);
		free(data);
		files++;
	}
	closedir(d);
	assert_true(files >= 10);
	assert_true(events >= 10);
}

static void test_text(void **state)
{
	(void)state;
	replay("text");
}

static void test_binary(void **state)
{
	(void)state;
	replay("binary");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_binary),
	};
	corpus = argc > 1 ? argv[1] : getenv("DH_FUZZ_CORPUS");
	if (!corpus) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
