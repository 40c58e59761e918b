/* SPDX-License-Identifier: MIT */
/* Names as they are compared: what builds change is gone, what tells functions apart is
 * there; and hostile ones do no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "triage/names.h"

static void check_function(const char *function, const char *want)
{
	struct dh_name name;
	dh_name_function(function, &name);
	assert_string_equal(name.text, want);
	assert_int_equal(name.len, strlen(want));
}

static void clones_and_versions(void **state)
{
	(void)state;
	check_function("work", "work");
	check_function("work.part.0", "work");
	check_function("work.constprop.0.isra.1", "work");
	check_function("work.cold", "work");
	check_function("work.lto_priv.12", "work");
	check_function("work.llvm.123456", "work");
	check_function("work [clone .part.0]", "work");
	check_function("write@@GLIBC_2.2.5", "write");
	check_function("main._omp_fn.0", "main._omp_fn.0");
	check_function("a.partial", "a.partial");
	check_function("alloc::vec::push::h0123456789abcdef", "alloc::vec::push");
}

static void templates_and_parameters(void **state)
{
	(void)state;
	check_function("Box<int>::add(int)", "Box::add");
	check_function("Box<std::pair<int, long> >::add(int) const", "Box::add");
	check_function("void fill<int, (Kind)2>(std::vector<int>&)", "fill");
	check_function("fill<int>", "fill");
	check_function("std::enable_if<((3)>(2)), int*>::type f<int>(int*)", "f");
	check_function("std::__cxx11::basic_string<char>::size() const",
		       "std::basic_string::size");
	check_function("std::__1::vector<int>::size() const", "std::vector::size");
	check_function("A<((1)<(2))>::f()", "A::f");
	check_function("name[abi:cxx11](int)", "name");
	check_function("int (*pick(int))(char)", "int (*pick(int))(char)"); /* too hard */
}

static void operators(void **state)
{
	(void)state;
	check_function("A::operator<(A const&) const", "A::operator<");
	check_function("A::operator<< <int>(int)", "A::operator<<");
	check_function("operator<<(std::ostream&, A const&)", "operator<<");
	check_function("A::operator()(int)", "A::operator()");
	check_function("A::operator->()", "A::operator->");
	check_function("A::operator[](unsigned long)", "A::operator[]");
	check_function("operator new(unsigned long)", "operator new");
	check_function("A::operator bool() const", "A::operator bool");
	check_function("operators::run()", "operators::run");
}

static void lambdas_and_unnamed(void **state)
{
	(void)state;
	static const char *const same[] = {
	    "main::{lambda()#1}::operator()() const",
	    "main::{lambda(int, Box<int>)#2}::operator()(int, Box<int>) const",
	    "main::(anonymous)::operator()",
	    "main()::<lambda()>::operator()",
	    "main::$_0::operator()() const",
	    "main::'lambda'(int)::operator()(int) const",
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(same); i++)
		check_function(same[i], "main::{lambda}");
	check_function("(anonymous namespace)::f(int)", "{unnamed}::f");
	check_function("(anonymous)::f", "{unnamed}::f");
	check_function("{anonymous}::f()", "{unnamed}::f");
	check_function("ns::f(int)::Local::g() const", "ns::f::Local::g");
}

static void hostile_names(void **state)
{
	(void)state;
	struct dh_name name;
	static const char *const odd[] = {"",	      "<",	  ">",	     "((((",
					  "f<<<",     "::",	  "f)",	     "{lambda",
					  "operator", "\xff\xfe", "'lambda", "f<(>"};
	for (size_t i = 0; i < DH_ARRAY_LEN(odd); i++) {
		dh_name_function(odd[i], &name);
		assert_int_equal(name.len, strlen(name.text));
	}
	char *longest = malloc(100001);
	memset(longest, 'x', 100000);
	longest[100000] = '\0';
	dh_name_function(longest, &name);
	assert_int_equal(name.len, DH_NAME_MAX - 1);
	memset(longest, '<', 100000);
	dh_name_function(longest, &name);
	assert_int_equal(name.len, strlen(name.text));
	dh_name_variable(longest, longest, &name);
	assert_int_equal(name.len, strlen(name.text));
	free(longest);
}

static void check_variable(const char *base, const char *part, const char *want)
{
	struct dh_name name;
	dh_name_variable(base, part, &name);
	assert_string_equal(name.text, want);
}

static void variables(void **state)
{
	(void)state;
	check_variable("audit", ".last", "audit.last");
	check_variable("table", "[31].next", "table[].next");
	check_variable("table", "[2][3]", "table[][]");
	check_variable("calls.0", NULL, "calls");
	check_variable("(anonymous namespace)::x", NULL, "{unnamed}::x");
	check_variable("Box<int>::count", NULL, "Box::count");
}

static struct dh_finding_stack *make_stack(const struct dh_finding_frame *frames,
					   uint32_t len)
{
	struct dh_finding_stack *s = malloc(sizeof *s + len * sizeof s->at[0]);
	s->len = len;
	for (uint32_t i = 0; i < len; i++)
		s->at[i] = &frames[i];
	return s;
}

static void own_frames(void **state)
{
	(void)state;
	static const struct dh_finding_frame frames[] = {
	    {.function = "memcpy", .module = "/lib/libdeadheat-fasttrack.so"},
	    {.function = "std::vector<int>::push_back(int)",
	     .file = "/usr/include/c++/12/bits/stl_vector.h"},
	    {.function = "xmalloc", .file = "/home/me/util.c"},
	    {.function = "make_node", .file = "/home/me/node.c"},
	    {.function = "main", .file = "/home/me/main.c"},
	};
	struct dh_finding_stack *s = make_stack(frames, 5);
	assert_int_equal(dh_stack_own(s, 0), 2);
	assert_string_equal(dh_stack_allocator(s)->function, "make_node");
	s->len = 2;
	assert_int_equal(dh_stack_own(s, 0), 0);
	s->len = 3;
	assert_string_equal(dh_stack_allocator(s)->function, "xmalloc");
	s->len = 0;
	assert_null(dh_stack_allocator(s));
	assert_null(dh_stack_allocator(NULL));
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clones_and_versions),
	    cmocka_unit_test(templates_and_parameters),
	    cmocka_unit_test(operators),
	    cmocka_unit_test(lambdas_and_unnamed),
	    cmocka_unit_test(hostile_names),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(own_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
