/* SPDX-License-Identifier: MIT */
/* Rules of suppression files: what each kind looks at, how patterns match, and what is
 * said of files that are none. */
#include "dice.h"

#include "base/glob.h"
#include "triage/findings.h"
#include "triage/suppress.h"

#include <stdlib.h>
#include <string.h>

static const char race[] =
    "{\"type\":\"race\",\"process\":7,\"serial\":1,\"grade\":\"observed\","
    "\"address\":\"0x10\",\"size\":4,"
    "\"first\":{\"op\":\"write\",\"atomic\":false,\"address\":\"0x10\",\"size\":4,"
    "\"thread\":1,\"stack\":[{\"pc\":\"0x1\",\"module\":\"/usr/lib/libqueue.so.1\","
    "\"function\":\"queue::push(int)\",\"file\":\"/src/queue/push.cc\",\"line\":10},"
    "{\"pc\":\"0x2\",\"function\":\"producer\",\"file\":\"/src/main.cc\",\"line\":3}],"
    "\"locks\":[{\"address\":\"0x90\",\"mode\":\"write\",\"global\":"
    "{\"name\":\"big_lock\",\"base\":\"0x90\",\"size\":40,\"offset\":0,"
    "\"module\":\"/bin/app\"},\"taken\":[]}]},"
    "\"second\":{\"op\":\"read\",\"atomic\":false,\"address\":\"0x10\",\"size\":4,"
    "\"thread\":2,\"stack\":[{\"pc\":\"0x3\",\"function\":\"pop\","
    "\"file\":\"/src/queue/pop.cc\",\"line\":20}],\"locks\":[]},"
    "\"object\":{\"kind\":\"global\",\"name\":\"queues\",\"part\":\"[3].head\","
    "\"field\":\"queue.head\",\"base\":\"0x0\",\"size\":64,\"offset\":16,"
    "\"module\":\"/bin/app\"},"
    "\"threads\":[{\"id\":1,\"main\":false,\"running\":true,\"os_id\":1,"
    "\"name\":\"maker\",\"parent\":0,\"created\":[{\"pc\":\"0x4\","
    "\"function\":\"start_all\"}]},{\"id\":2,\"main\":false,\"running\":true,"
    "\"os_id\":2,\"parent\":0}]}\n";

static const char heap_race[] =
    "{\"type\":\"race\",\"process\":7,\"serial\":2,\"grade\":\"observed\","
    "\"address\":\"0x10\",\"size\":4,"
    "\"first\":{\"op\":\"write\",\"atomic\":false,\"address\":\"0x10\",\"size\":4,"
    "\"thread\":1,\"stack\":[]},"
    "\"second\":{\"op\":\"read\",\"atomic\":false,\"address\":\"0x10\",\"size\":4,"
    "\"thread\":2,\"stack\":[]},"
    "\"object\":{\"kind\":\"heap\",\"base\":\"0x0\",\"size\":64,\"offset\":16,"
    "\"thread\":1,\"allocated\":[{\"pc\":\"0x1\",\"function\":\"xmalloc\"},"
    "{\"pc\":\"0x2\",\"function\":\"make_node(int)\"}]},\"threads\":[]}\n";

static struct dh_findings *findings(const char *text)
{
	struct dh_findings *s = dh_findings_new();
	char *copy = strdup(text);
	assert_int_equal(dh_findings_parse(s, copy, strlen(copy), "text"), 0);
	assert_int_equal(dh_findings_count(s), 1);
	free(copy);
	return s;
}

static bool matches(const char *text, const char *rule)
{
	struct dh_findings *f = findings(text);
	struct dh_suppressions *s = dh_suppress_new();
	assert_int_equal(dh_suppress_parse(s, rule, "rules"), 0);
	const struct dh_suppress_rule *r = dh_suppress_match(s, dh_findings_at(f, 0));
	bool found = r != NULL;
	if (r)
		assert_int_equal(r->used, 1);
	dh_suppress_free(s);
	dh_findings_free(f);
	return found;
}

static void kinds(void **state)
{
	(void)state;
	static const char *const yes[] = {
	    "race:push",
	    "race:queue/push.cc",
	    "race:libqueue",
	    "race:^queue::push(int)$",
	    "race:prod*er",
	    "race:start_all",
	    "race:queues",
	    "race_top:pop",
	    "race_top:push",
	    "pair:pop<->queue::push",
	    "pair:queue::push(int)<->pop",
	    "pair:push.cc<->p*",
	    "variable:queues",
	    "variable:queues[*].head",
	    "field:queue.head",
	    "field:queue.*",
	    "lock:big_lock",
	    "thread_name:maker",
	    "thread_name:m*",
	    "fingerprint:*",
	    "# first\n\n  race:pop  ",
	};
	static const char *const no[] = {
	    "race:consumer",	 "race:^push",	   "race:^producers",
	    "race_top:producer", "pair:pop<->pop", "pair:push<->po",
	    "variable:queue",	 "variable:head",  "field:head",
	    "lock:big",		 "thread_name:ma", "fingerprint:0123456789abcdef",
	    "allocated:main",	 "thread:push",	   "mutex:push",
	    "signal:push",	 "deadlock:push",  "called_from_lib:libqueue",
	    "# race:push",
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(yes); i++)
		if (!matches(race, yes[i]))
			fail_msg("%s does not match", yes[i]);
	for (size_t i = 0; i < DH_ARRAY_LEN(no); i++)
		if (matches(race, no[i]))
			fail_msg("%s matches", no[i]);
	assert_true(matches(heap_race, "allocated:make_node"));
	assert_false(matches(heap_race, "allocated:make"));
	assert_false(matches(heap_race, "race:make_node"));
}

static void patterns(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *text;
		bool part, whole;
	} cases[] = {
	    {"", "", true, true},	    {"", "x", true, false},
	    {"a", "bab", true, false},	    {"^a", "bab", false, false},
	    {"a$", "bab", false, false},    {"b$", "bab", true, false},
	    {"^b*b$", "bab", true, true},   {"*", "", true, true},
	    {"a*c*e", "abcde", true, true}, {"a*c*e", "xabcdefg", true, false},
	    {"a*b", "aXbXc", true, false},  {"^a*b$", "aXbXb", true, true},
	    {"aab", "aaab", true, false},   {"^", "x", true, false},
	    {"$", "x", true, false},	    {"^$", "x", false, false},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(cases); i++) {
		size_t n = strlen(cases[i].pattern);
		if (dh_glob(cases[i].pattern, n, cases[i].text, false) != cases[i].part ||
		    dh_glob(cases[i].pattern, n, cases[i].text, true) != cases[i].whole)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
	}
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"race:x\nrase:y\n",
	     "f:2: no kind of rule is called 'rase'; the nearest is 'race'"},
	    {"what is this", "f:1: 'what is this' is no rule, which is KIND:PATTERN"},
	    {"\n\nrace:\n", "f:3: there is nothing after 'race:'; '*' stands for all"},
	    {"pair:one", "f:1: a pair is two functions or files: pair:ONE<->OTHER"},
	    {"pair:one<->", "f:1: a pair is two functions or files: pair:ONE<->OTHER"},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(cases); i++) {
		struct dh_suppressions *s = dh_suppress_new();
		assert_int_equal(dh_suppress_parse(s, cases[i].text, "f"), -1);
		assert_string_equal(dh_suppress_error(s), cases[i].message);
		assert_int_equal(dh_suppress_count(s), 0);
		dh_suppress_free(s);
	}
}

/* The first rule that matches is the one that was used. */
static void use(void **state)
{
	(void)state;
	struct dh_findings *f = findings(race);
	struct dh_suppressions *s = dh_suppress_new();
	assert_int_equal(
	    dh_suppress_parse(s, "mutex:a\nrace:no\nrace:push\nrace:pop\n", "f"), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(dh_suppress_match(s, dh_findings_at(f, 0))->line, 3);
	assert_int_equal(dh_suppress_at(s, 2)->used, 3);
	assert_int_equal(dh_suppress_at(s, 1)->used, 0);
	assert_int_equal(dh_suppress_at(s, 3)->used, 0);
	assert_non_null(dh_suppress_at(s, 0)->idle);
	assert_null(dh_suppress_at(s, 1)->idle);
	assert_string_equal(dh_suppress_at(s, 2)->text, "race:push");
	dh_suppress_free(s);
	dh_findings_free(f);
}

/* What is suggested for a finding matches it. */
static void suggestions(void **state)
{
	(void)state;
	static const char *const all[] = {race, heap_race};
	for (size_t i = 0; i < DH_ARRAY_LEN(all); i++) {
		struct dh_findings *f = findings(all[i]);
		char *line = NULL;
		size_t len = 0;
		FILE *to = open_memstream(&line, &len);
		struct dh_map seen = {0};
		dh_suppress_suggest(dh_findings_at(f, 0), &seen, to);
		dh_suppress_suggest(dh_findings_at(f, 0), &seen, to);
		fclose(to);
		dh_map_free(&seen);
		if (i == 0)
			assert_string_equal(line, "pair:queue::push<->pop\n");
		assert_true(matches(all[i], line));
		free(line);
		dh_findings_free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(patterns),	   cmocka_unit_test(kinds),
	    cmocka_unit_test(errors),	   cmocka_unit_test(use),
	    cmocka_unit_test(suggestions),
	};
	return cmocka_run_group_tests_name("suppress", tests, NULL, NULL);
}
