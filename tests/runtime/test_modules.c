/* SPDX-License-Identifier: MIT */
/* The list of modules, of this very process. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/modules.h"

static const char *file_of(const struct dh_module *m)
{
	return strrchr(m->path, '/') + 1;
}

static void finds_code(void **state)
{
	(void)state;
	uint64_t here = (uint64_t)(uintptr_t)&finds_code, there;
	void *libc = (void *)&printf;
	memcpy(&there, &libc, sizeof there);
	dh_modules_know(&here, 1);
	const struct dh_module *own = dh_modules_find(here);
	assert_non_null(own);
	assert_string_equal(file_of(own), "test_modules");
	assert_ptr_equal(dh_modules_at(own->number), own);
	assert_false(own->gone);
	for (size_t i = 1; i < own->segments.len; i++)
		assert_true(own->segments.at[i - 1].end <= own->segments.at[i].start);
	assert_non_null(dh_modules_find(there));
	assert_null(dh_modules_find(8));
	assert_null(dh_modules_find((uintptr_t)&own));
}

/* A file that is mapped like a library comes into the list, and stays as gone. */
static void comes_and_goes(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	FILE *file = tmpfile();
	assert_int_equal(ftruncate(fileno(file), (off_t)(2 * page)), 0);
	char *at =
	    mmap(NULL, 2 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	uint32_t before = dh_modules_count();
	uint64_t inside = (uint64_t)(uintptr_t)at + page + 5;
	assert_null(dh_modules_find(inside));
	dh_modules_know(&inside, 1);
	const struct dh_module *m = dh_modules_find(inside);
	assert_non_null(m);
	assert_int_equal(dh_modules_count(), before + 1);
	dh_modules_scan();
	assert_int_equal(dh_modules_count(), before + 1);
	munmap(at, 2 * page);
	dh_modules_changed();
	dh_modules_know(NULL, 0);
	assert_true(m->gone);
	assert_ptr_equal(dh_modules_find(inside), m);
	fclose(file);
}

static void data_is_no_module(void **state)
{
	(void)state;
	FILE *file = tmpfile();
	assert_int_equal(ftruncate(fileno(file), 4096), 0);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	uint32_t before = dh_modules_count();
	dh_modules_scan();
	assert_int_equal(dh_modules_count(), before);
	munmap(at, 4096);
	fclose(file);
}

static void bounds(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start, end;
	assert_int_equal(mprotect(at + page, page, PROT_READ), 0);
	assert_true(dh_modules_mapping((uintptr_t)at + page + 9, &start, &end));
	assert_int_equal(start, (uintptr_t)at + page);
	assert_int_equal(end, (uintptr_t)at + 2 * page);
	munmap(at, 3 * page);
	assert_false(dh_modules_mapping((uintptr_t)at + page + 9, &start, &end) &&
		     start == (uintptr_t)at + page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_code),
	    cmocka_unit_test(comes_and_goes),
	    cmocka_unit_test(data_is_no_module),
	    cmocka_unit_test(bounds),
	};
	return cmocka_run_group_tests_name("modules", tests, NULL, NULL);
}
