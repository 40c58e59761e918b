/* SPDX-License-Identifier: MIT */
/* Findings from lines of JSON: of every command, of several processes in one file, with
 * and without what may be missing; and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "triage/findings.h"

static int parse(struct dh_findings *s, const char *text)
{
	size_t len = strlen(text);
	char *bytes = malloc(len + 1);
	memcpy(bytes, text, len);
	int result = dh_findings_parse(s, bytes, len, "f.json");
	free(bytes);
	return result;
}

#define RUN(process)                                                                     \
	"{\"type\":\"run\",\"version\":1,\"engine\":\"fasttrack\",\"process\":" #process \
	",\"time\":\"2026-01-02T03:04:05Z\"}\n"
#define FRAME(f, l)                                                                      \
	"{\"pc\":\"0x10\",\"module\":\"/bin/p\",\"offset\":\"0x1\",\"function\":\"" f    \
	"\",\"file\":\"p.c\",\"line\":" #l ",\"column\":3}"
#define RACE(more)                                                                       \
	"{\"type\":\"race\",\"serial\":1,\"grade\":\"observed\",\"address\":\"0x9\","    \
	"\"size\":4,\"first\":{\"op\":\"read\",\"atomic\":true,\"size\":4,\"thread\":1," \
	"\"stack\":[" FRAME("get", 7) "," FRAME(                                         \
	    "main", 9) "]},\"second\":{\"op\":"                                          \
		       "\"write\",\"atomic\":false,\"size\":8,\"thread\":2,\"stack\":"   \
		       "[" FRAME("put", 8) "," FRAME(                                    \
			   "main",                                                       \
			   9) "],\"locks\":[{\"address\":\"0x5\",\"mode\":\"read\","     \
			      "\"global\":{\"name\":\"locks\",\"part\":\"[2]\"}}]},"     \
			      "\"object\":{\"kind\":"                                    \
			      "\"global\",\"name\":\"g\",\"part\":\".x\",\"size\":16,"   \
			      "\"offset\":8},"                                           \
			      "\"threads\":[{\"id\":1,\"main\":true,\"running\":true},{" \
			      "\"id\":2,\"name\":"                                       \
			      "\"w\",\"parent\":1,\"created\":[" FRAME(                  \
				  "main", 5) "]}]" more "}\n"

static void a_race_of_a_run(void **state)
{
	(void)state;
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(
	    parse(s, RUN(7) RACE("") "{\"type\":\"summary\",\"complete\":true,\"met\":5,"
				     "\"losses\":{\"sites_lost\":2}}\n"),
	    0);
	assert_int_equal(dh_findings_count(s), 1);
	const struct dh_finding *f = dh_findings_at(s, 0);
	assert_int_equal(f->grade, DH_OBSERVED);
	assert_true(f->has_first && f->first.atomic && !f->first.locks_known);
	assert_int_equal(f->first.op, DH_OP_READ);
	assert_string_equal(f->first.stack->at[0]->function, "get");
	assert_int_equal(f->second.stack->at[0]->line, 8);
	assert_ptr_equal(f->first.stack->at[1], f->second.stack->at[1]);
	assert_true(f->second.locks_known && f->second.locks.at[0].read_mode);
	assert_string_equal(f->second.locks.at[0].name, "locks[2]");
	assert_string_equal(f->second.thread->name, "w");
	assert_true(f->first.thread->main);
	assert_int_equal(f->object.kind, DH_KIND_GLOBAL);
	assert_string_equal(f->object.variable.part, ".x");
	assert_int_equal(f->object.offset, 8);
	assert_int_equal(f->line, 2);
	assert_int_equal(f->run->process, 7);
	assert_string_equal(f->run->time, "2026-01-02T03:04:05Z");
	assert_true(f->run->complete && f->run->met == 5);
	assert_string_equal(f->run->losses[0].name, "sites_lost");
	assert_int_equal(dh_findings_frames(s), 4);
	dh_findings_free(s);
}

static void processes_that_share_a_file(void **state)
{
	(void)state;
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(
	    parse(s, RUN(7) RUN(8) RACE(",\"process\":7") RACE(
			 "") "{\"type\":\"evidence\",\"process\":7,\"serial\":1,"
			     "\"accesses\":50,"
			     "\"held\":[{\"lock\":{\"address\":\"0x5\",\"name\":\"l\"},"
			     "\"count\":49}],\"steps\":[{\"by\":-1,\"count\":3}]}\n"
			     "{\"type\":\"of the future\"}\n\n"),
	    0);
	assert_int_equal(dh_findings_runs(s), 2);
	assert_int_equal(dh_findings_at(s, 0)->run->process, 7);
	assert_int_equal(dh_findings_at(s, 1)->run->process, 8);
	const struct dh_finding_evidence *e = dh_findings_at(s, 0)->evidence;
	assert_non_null(e);
	assert_null(dh_findings_at(s, 1)->evidence);
	assert_int_equal(e->accesses, 50);
	assert_int_equal(e->held[0].count, 49);
	assert_string_equal(e->held[0].lock->name, "l");
	assert_int_equal(e->steps[0].by, -1);
	dh_findings_free(s);
}

#define ACCESS(f) "{\"op\":\"write\",\"size\":4,\"thread\":3,\"stack\":[" FRAME(f, 4) "]}"
#define FURTHER(n, a, b, more)                                                           \
	"{\"type\":\"further\",\"serial\":" #n                                           \
	",\"grade\":\"potential\",\"first\":" ACCESS(a) ",\"second\":" ACCESS(           \
	    b) ",\"object\":{\"kind\":\"global\",\"name\":\"g\"}" more "}\n"

static void what_is_added_to_a_race(void **state)
{
	(void)state;
	struct dh_finding_place places[DH_FINDING_MOST];
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(parse(s, RUN(7) RACE("") FURTHER(1, "put", "take", "")
				      FURTHER(1, "take", "drop", "")
					  FURTHER(1, "take", "drop", "")),
			 0);
	assert_int_equal(dh_findings_count(s), 1);
	const struct dh_finding *f = dh_findings_at(s, 0);
	assert_int_equal(f->further->grade, DH_POTENTIAL);
	assert_ptr_equal(f->further->run, f->run);
	assert_int_equal(f->further->further->line, 4);
	/* get and put of the race, put at another line, take, drop. */
	assert_int_equal(dh_finding_places(f, places), 5);
	assert_ptr_equal(places[0].access, &f->first);
	assert_ptr_equal(places[1].access, &f->second);
	assert_string_equal(places[3].access->stack->at[0]->function, "take");
	assert_ptr_equal(places[4].race, f->further->further);
	dh_findings_free(s);
}

/* Where the race is not there, or suppressed, it is what the finding begins with. */
static void what_would_be_added(void **state)
{
	(void)state;
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(
	    parse(s, RUN(7) FURTHER(5, "put", "take", "") FURTHER(5, "take", "drop", "")),
	    0);
	assert_int_equal(dh_findings_count(s), 1);
	assert_non_null(dh_findings_at(s, 0)->further);
	dh_findings_free(s);
	s = dh_findings_new();
	assert_int_equal(
	    parse(s, RUN(7) RACE(",\"suppressed\":\"race:put\"")
			 FURTHER(1, "put", "take", ",\"suppressed\":\"race:put\"")
			     FURTHER(1, "take", "drop", "")
				 FURTHER(1, "put", "x", ",\"suppressed\":\"race:put\"")),
	    0);
	assert_int_equal(dh_findings_count(s), 2);
	const struct dh_finding *f = dh_findings_at(s, 1);
	assert_null(f->suppressed);
	assert_null(f->further);
	assert_string_equal(f->second.stack->at[0]->function, "drop");
	dh_findings_free(s);
}

static void races_of_traces(void **state)
{
	(void)state;
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(
	    parse(
		s,
		"{\"trace\":\"t.std\",\"events\":9,\"engines\":[{\"engine\":\"eraser\","
		"\"races\":[{\"var\":\"a[3].b\",\"grade\":\"potential\",\"first\":null,"
		"\"second\":{\"index\":4,\"thread\":\"T1\",\"op\":\"w\",\"loc\":"
		"\"bank.c:37\"}}],\"counters\":{}}]}\n"
		"{\"trace\":\"t.std\",\"events\":9,\"model\":\"mc\",\"races\":[{\"var\":"
		"\"x\",\"grade\":\"predicted\",\"first\":{\"index\":0,\"thread\":\"T1\","
		"\"op\":\"r\",\"loc\":\"\"},\"second\":{\"index\":4,\"thread\":\"T2\","
		"\"op\":\"w\",\"loc\":\"here\"},\"witness\":[0,4]}],\"unknown\":[]}\n"),
	    0);
	const struct dh_finding *f = dh_findings_at(s, 0), *g = dh_findings_at(s, 1);
	assert_false(f->has_first);
	assert_string_equal(f->object.variable.name, "a");
	assert_string_equal(f->object.variable.part, "[3].b");
	assert_string_equal(f->second.stack->at[0]->file, "bank.c");
	assert_int_equal(f->second.stack->at[0]->line, 37);
	assert_string_equal(f->run->engine, "eraser");
	assert_int_equal(g->grade, DH_PREDICTED);
	assert_int_equal(g->first.stack->len, 0);
	assert_string_equal(g->second.stack->at[0]->function, "here");
	assert_int_equal(g->witness_len, 2);
	assert_int_equal(g->witness[1], 4);
	assert_string_equal(g->run->engine, "mc");
	dh_findings_free(s);
}

static void check_refused(const char *text, int result, const char *error)
{
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(parse(s, text), result);
	assert_non_null(strstr(dh_findings_error(s), error));
	dh_findings_free(s);
}

static void refusals(void **state)
{
	(void)state;
	check_refused(RUN(1) "{\"type\":\n", -1, "f.json:2: byte 9: it ends");
	check_refused(RUN(1) "{\"type\":", 1, "f.json:2: the last line is cut short");
	check_refused(RUN(1) "{\"type\" 1}", -1, "f.json:2: byte 9: a colon");
	check_refused("{\"a\":1}\n", -1, "f.json:1: this is no result");
	check_refused("[]\n", -1, "f.json:1: this is no result");
	check_refused("{\"type\":\"run\",\"version\":2}\n", -1, "version 2");
	check_refused("{\"type\":\"race\",\"grade\":\"sure\"}\n", -1, "grade");
	check_refused("{\"type\":\"race\",\"grade\":\"observed\"}\n", -1, "an access");
	check_refused("{\"engines\":[{\"engine\":\"e\"}]}\n", -1, "without its races");
}

static bool is_second(const struct dh_finding *f, void *with)
{
	(void)with;
	return f->serial == 2;
}

static void filtering(void **state)
{
	(void)state;
	struct dh_findings *s = dh_findings_new();
	assert_int_equal(parse(s, RACE("") "{\"type\":\"race\",\"grade\":\"potential\","
					   "\"serial\":2,\"second\":{\"op\":\"free\"}}"),
			 0);
	dh_findings_filter(s, is_second, NULL);
	assert_int_equal(dh_findings_count(s), 1);
	assert_int_equal(dh_findings_at(s, 0)->second.op, DH_OP_FREE);
	assert_int_equal(dh_findings_at(s, 0)->second.stack->len, 0);
	dh_findings_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_race_of_a_run),
	    cmocka_unit_test(processes_that_share_a_file),
	    cmocka_unit_test(what_is_added_to_a_race),
	    cmocka_unit_test(what_would_be_added),
	    cmocka_unit_test(races_of_traces),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(filtering),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
