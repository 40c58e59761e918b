/* SPDX-License-Identifier: MIT */
/*
 * Damaged files of findings, made from those in tests/fuzz/corpus/findings (the first
 * argument is the corpus): whatever is in them, they are read or refused, and what was
 * read can be reported in every form.
 */
#include "dice.h"
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1000, ROOM = 1 << 16 };

static const char *corpus;
static uint8_t whole[ROOM], broken[2 * ROOM];

static size_t load(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/findings/%s", corpus, name);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t len = fread(whole, 1, ROOM, f);
	fclose(f);
	assert_true(len > 0 && len < ROOM);
	return len;
}

/* Words that mean something where they do not belong. */
static size_t put_word(struct dice *d, size_t len)
{
	static const char *const words[] = {
	    "\"",
	    "{",
	    "}",
	    "[",
	    "]",
	    ",",
	    ":",
	    "null",
	    "\\",
	    "-1",
	    "\\u0000",
	    "\\ud800",
	    "1e9",
	    "<script>",
	    "\n",
	    "true",
	    "::",
	    "<",
	    "(",
	    "operator",
	    "{lambda",
	    "\xff",
	    "18446744073709551616",
	    "99999999999",
	};
	const char *word = words[dice_roll(d, DH_ARRAY_LEN(words))];
	size_t at = dice_roll(d, (uint32_t)len + 1), n = strlen(word);
	memmove(broken + at + n, broken + at, len - at);
	memcpy(broken + at, word, n);
	return len + n;
}

static size_t cut_out(struct dice *d, size_t len)
{
	size_t at = dice_roll(d, (uint32_t)len), n = 1 + dice_roll(d, 40);
	n = DH_MIN(n, len - at);
	memmove(broken + at, broken + at + n, len - at - n);
	return len - n;
}

static void damage(const char *name)
{
	struct dice d = {7};
	size_t len = load(name), causes = 0;
	assert_true(merge(whole, len) >= 1);
	for (int i = 0; i < ROUNDS; i++) {
		size_t n = len;
		memcpy(broken, whole, len);
		for (uint32_t k = 1 + dice_roll(&d, 4); k > 0 && n > 0; k--) {
			uint32_t how = dice_roll(&d, 3);
			if (how == 0)
				broken[dice_roll(&d, (uint32_t)n)] =
				    (uint8_t)dice_roll(&d, 256);
			else
				n = how == 1 ? put_word(&d, n) : cut_out(&d, n);
		}
		causes += merge(broken, n);
	}
	assert_true(causes > ROUNDS / 10); /* not all of it was refused */
}

static void lines_of_runs(void **state)
{
	(void)state;
	damage("run");
}

static void lines_of_traces(void **state)
{
	(void)state;
	damage("trace");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_of_runs),
	    cmocka_unit_test(lines_of_traces),
	};
	corpus = argc > 1 ? argv[1] : getenv("DH_FUZZ_CORPUS");
	if (!corpus) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
