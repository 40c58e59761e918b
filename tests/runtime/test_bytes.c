/* SPDX-License-Identifier: MIT */
/*
 * The runtime's own memcpy and friends against the C library's, for all short lengths,
 * some long ones, and all small misalignments.
 */
#include "runtime/bytes.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { ROOM = 5000 };

static uint8_t ours[ROOM], theirs[ROOM];
static const size_t longer[] = {127, 128, 511, 1023, 1024, 1025, 2047, 4000};

static void fill_both(void)
{
	for (size_t i = 0; i < ROOM; i++)
		ours[i] = theirs[i] = (uint8_t)(i * 7 + i / 251);
}

/* Calls check with all lengths up to 100 and the longer ones. */
static void each_length(void (*check)(size_t n))
{
	for (size_t n = 0; n <= 100; n++)
		check(n);
	for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
		check(longer[i]);
}

static void check_move(size_t n)
{
	for (size_t from = 0; from < 40; from += 3) {
		for (size_t to = 0; to < 40; to += 3) {
			fill_both();
			assert_ptr_equal(dh_bytes_move(ours + to, ours + from, n),
					 ours + to);
			memmove(theirs + to, theirs + from, n);
			assert_memory_equal(ours, theirs, ROOM);
		}
	}
}

static void check_copy(size_t n)
{
	uint8_t source[ROOM];
	for (size_t at = 0; at < 17; at++) {
		fill_both();
		memset(source, 0xa5, sizeof source);
		assert_ptr_equal(dh_bytes_copy(ours + at, source + 17 - at, n),
				 ours + at);
		memcpy(theirs + at, source + 17 - at, n);
		assert_memory_equal(ours, theirs, ROOM);
	}
}

static void check_fill(size_t n)
{
	for (size_t at = 0; at < 17; at++) {
		fill_both();
		assert_ptr_equal(dh_bytes_fill(ours + at, 0x1c3, n), ours + at);
		memset(theirs + at, 0xc3, n);
		assert_memory_equal(ours, theirs, ROOM);
	}
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void check_compare(size_t n)
{
	fill_both();
	assert_int_equal(dh_bytes_compare(ours, theirs, n), 0);
	for (size_t at = 0; at < n; at += 1 + n / 50) {
		theirs[at] ^= 0x80;
		assert_int_equal(sign(dh_bytes_compare(ours, theirs, n)),
				 sign(memcmp(ours, theirs, n)));
		assert_int_equal(dh_bytes_compare(ours, theirs, at), 0);
		theirs[at] ^= 0x80;
	}
}

static void check_length(size_t n)
{
	char text[ROOM];
	for (size_t at = 0; at < 9; at++) {
		memset(text, 0x80, sizeof text);
		text[at + n] = 0;
		assert_int_equal(dh_bytes_length(text + at), n);
	}
}

/* Two texts of which one ends where its page does, and nothing may be read behind. */
static void check_shorter(size_t n)
{
	enum { PAGE = 4096, PAGES = 2 };
	char *low = mmap(NULL, (PAGES + 1) * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = low + PAGES * PAGE, other[ROOM];
	assert_int_equal(mprotect(end, PAGE, PROT_NONE), 0);
	memset(low, 0x81, PAGES * PAGE);
	memset(other, 0x01, sizeof other);
	for (size_t at = 0; at < 9; at++) {
		const char *text = end - n - 1;
		end[-1] = 0;
		assert_int_equal(dh_bytes_shorter(text, other + at, ROOM - 9), n);
		assert_int_equal(dh_bytes_shorter(other + at, text, ROOM - 9), n);
		assert_int_equal(dh_bytes_shorter(other + at, text, n / 2), n / 2);
		end[-1] = 1;
		assert_int_equal(dh_bytes_shorter(text, other + at, n + 1), n + 1);
		other[at + n / 3] = 0;
		assert_int_equal(dh_bytes_shorter(text, other + at, n + 1), n / 3);
		other[at + n / 3] = 0x01;
	}
	munmap(low, (PAGES + 1) * PAGE);
}

static void test_move(void **state)
{
	(void)state;
	each_length(check_move);
}

static void test_copy(void **state)
{
	(void)state;
	each_length(check_copy);
}

static void test_fill(void **state)
{
	(void)state;
	each_length(check_fill);
}

static void test_compare(void **state)
{
	(void)state;
	each_length(check_compare);
}

static void test_length(void **state)
{
	(void)state;
	each_length(check_length);
}

static void test_shorter(void **state)
{
	(void)state;
	each_length(check_shorter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_move),   cmocka_unit_test(test_copy),
	    cmocka_unit_test(test_fill),   cmocka_unit_test(test_compare),
	    cmocka_unit_test(test_length), cmocka_unit_test(test_shorter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
