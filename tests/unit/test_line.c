/* SPDX-License-Identifier: MIT */
/* What the words of a line tell about a name, and what they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "triage/line.h"

static struct dh_line_word constant;

static unsigned uses(const char *line, const char *name)
{
	size_t len = strlen(line);
	char *copy = malloc(len ? len : 1); /* no NUL at its end */
	memcpy(copy, line, len);
	static char kept[200];
	unsigned found =
	    dh_line_uses(copy, len, (struct dh_line_word){name, strlen(name)}, &constant);
	if (constant.len) {
		memcpy(kept, constant.text, constant.len);
		kept[constant.len] = '\0';
		constant.text = kept;
	}
	free(copy);
	return found & ~(unsigned)DH_USE_ANY;
}

static void updates(void **state)
{
	(void)state;
	assert_int_equal(uses("\thits++;", "hits"), DH_USE_UPDATE);
	assert_int_equal(uses("++s->hits;", "hits"), DH_USE_UPDATE);
	assert_int_equal(uses("s->all[i].hits += n;", "hits"), DH_USE_UPDATE);
	assert_true(uses("hits[i]--;", "hits") & DH_USE_UPDATE);
	assert_true(uses("hits = hits + 1;", "hits") & DH_USE_UPDATE);
	assert_true(uses("hits = 1 + hits;", "hits") & DH_USE_UPDATE);
	assert_true(uses("x = 1; hits |= 2;", "hits") & DH_USE_UPDATE);
	assert_int_equal(uses("hits = other + 1;", "hits"), DH_USE_ASSIGN);
	assert_int_equal(uses("// hits++", "hits"), 0);
	assert_int_equal(uses("puts(\"hits++\");", "hits"), 0);
	assert_int_equal(uses("misses++; f(hits);", "hits"), 0);
	assert_int_equal(uses("hits->x++;", "hits"), DH_USE_DEREF);
}

static void assignments(void **state)
{
	(void)state;
	assert_int_equal(uses("done = 1;", "done"), DH_USE_ASSIGN | DH_USE_CONSTANT);
	assert_string_equal(constant.text, "1");
	assert_int_equal(uses("s.done = -1;", "done"), DH_USE_ASSIGN | DH_USE_CONSTANT);
	assert_string_equal(constant.text, "-1");
	assert_int_equal(uses("if (x) done = true;", "done"),
			 DH_USE_ASSIGN | DH_USE_CONSTANT);
	assert_int_equal(uses("p = NULL;", "p"), DH_USE_ASSIGN | DH_USE_CONSTANT);
	assert_int_equal(uses("p = malloc(sizeof *p);", "p"), DH_USE_ASSIGN);
	assert_int_equal(uses("p = p->next;", "p"),
			 DH_USE_ASSIGN | DH_USE_SELF | DH_USE_DEREF);
	assert_int_equal(uses("done = 1 + x;", "done"), DH_USE_ASSIGN);
	assert_int_equal(uses("int done = 1;", "done"), 0);
	assert_int_equal(uses("struct job *p = q;", "p"), 0);
	assert_int_equal(uses("if (done == 1)", "done"), 0);
	assert_true(uses("*p = 1;", "p") & DH_USE_DEREF);
}

static void conditions(void **state)
{
	(void)state;
	assert_int_equal(uses("if (!table) {", "table"), DH_USE_TEST_EMPTY);
	assert_int_equal(uses("\tif (s->table == NULL)", "table"), DH_USE_TEST_EMPTY);
	assert_int_equal(uses("if (nullptr == table)", "table"), DH_USE_TEST_EMPTY);
	assert_int_equal(uses("if (inited) return;", "inited"), DH_USE_TEST_LEAVE);
	assert_int_equal(uses("if (inited) {", "inited"), 0);
	assert_int_equal(uses("if (!enabled) return;", "enabled"), 0);
	assert_int_equal(uses("if (x) return !table;", "table"), 0);
	assert_int_equal(uses("while (!done)", "done"), DH_USE_LOOP);
	assert_int_equal(uses("} while (s->done == 0);", "done"), DH_USE_LOOP);
	assert_int_equal(uses("for (i = 0; !done; i++)", "done"), DH_USE_LOOP);
	assert_int_equal(uses("for (i = done; i; i++)", "done"), 0);
	assert_int_equal(uses("while (x) done = 1;", "done"),
			 DH_USE_ASSIGN | DH_USE_CONSTANT);
}

static void check_target(const char *line, const char *want)
{
	struct dh_line_word w = dh_line_target(line, strlen(line));
	assert_int_equal(w.len, strlen(want));
	assert_memory_equal(w.text ? w.text : "", want, w.len);
}

static void targets(void **state)
{
	(void)state;
	check_target("j->value = 7;", "value");
	check_target("block[2] = f(x);", "block");
	check_target("++n;", "n");
	check_target("a = b = 0;", "");
	check_target("f(a, b);", "");
	check_target("if (a == b)", "");
}

static void locks(void **state)
{
	(void)state;
	static const char *const yes[] = {"pthread_mutex_lock(&m);", "m.lock();",
					  "std::lock_guard<std::mutex> g(m);",
					  "LOCK(q);"};
	static const char *const no[] = {"pthread_mutex_unlock(&m);", "t = clock();",
					 "free(block);", "x = 1; // lock"};
	for (size_t i = 0; i < DH_ARRAY_LEN(yes); i++)
		assert_true(dh_line_locks(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < DH_ARRAY_LEN(no); i++)
		assert_false(dh_line_locks(no[i], strlen(no[i])));
}

static void check_last(const char *text, const char *want)
{
	struct dh_line_word w = dh_line_last_word(text);
	assert_int_equal(w.len, strlen(want));
	assert_memory_equal(w.text, want, w.len);
}

static void last_words(void **state)
{
	(void)state;
	check_last("audit.last", "last");
	check_last("list::head[].next", "next");
	check_last("table[]", "table");
	check_last("grid[][]", "grid");
	check_last("x", "x");
	check_last("", "");
	check_last("]]", "");
}

/* Whatever comes, nothing outside of the line is read. */
static void hostile_lines(void **state)
{
	(void)state;
	static const char *const odd[] = {
	    "",	  "x",	 ")",	   "x)",  "]x[", "x[[[", "\"x", "'\\",		 "/*x",
	    "x=", "if(", "if (!x", "x->", "->x", "::x",	 ").x", "\xff x = \xff", "!x"};
	for (size_t i = 0; i < DH_ARRAY_LEN(odd); i++) {
		uses(odd[i], "x");
		dh_line_target(odd[i], strlen(odd[i]));
	}
	char *deep = malloc(5000);
	for (size_t i = 0; i < 5000; i++)
		deep[i] = "x[("[i % 3];
	dh_line_uses(deep, 5000, (struct dh_line_word){"x", 1}, &constant);
	dh_line_target(deep, 5000);
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(updates),	     cmocka_unit_test(assignments),
	    cmocka_unit_test(conditions),    cmocka_unit_test(targets),
	    cmocka_unit_test(locks),	     cmocka_unit_test(last_words),
	    cmocka_unit_test(hostile_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
