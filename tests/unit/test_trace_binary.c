/* SPDX-License-Identifier: MIT */
/* The binary format: the bytes themselves, and round trips. */
#include "trace_kit.h"
#include "trace/binary.h"
#include "trace/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bytes ---- */

/* The example of docs/formats/trace.md. A change here is a new version. */
static void test_exact(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
	    0x89, 0x44, 0x48, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x00, 0x00, 0x0a,
	    0x58, 0xe8, 0xde, 0x01, 0x00, 0x00, 0x00, 0x21, 0x00, 0x00, 0x00, 0x21, 0x00,
	    0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x8d, 0x3b, 0x6d, 0x87, 0x05, 0x00, 0x02,
	    0x54, 0x31, 0x01, 0x01, 0x78, 0x07, 0x03, 0x61, 0x3a, 0x31, 0x00, 0x02, 0x54,
	    0x32, 0x06, 0x01, 0x6d, 0xc1, 0x02, 0x00, 0x05, 0x00, 0x00, 0xaf, 0x02, 0x00,
	    0x01, 0x00, 0x10, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
	    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x65, 0x62, 0x52, 0x66, 0x04};
	struct kit k;
	kit_read_text(&k, "T1|w(x)=-3|a:1\nT1|r(x)|a:1\nT2|mb(m:x)|\nT2|me(m)|\n");
	struct dh_bytes b = kit_as(&k, DH_TRACE_BINARY);
	kit_close(&k);
	assert_int_equal(b.len, sizeof bytes);
	assert_memory_equal(b.at, bytes, b.len);
	dh_vec_free(&b);
}

static void test_zigzag(void **state)
{
	(void)state;
	static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
	for (size_t i = 0; i < DH_ARRAY_LEN(values); i++) {
		uint64_t coded = dh_zigzag(values[i]);
		assert_true(i < 5 ? coded == i : coded >= UINT64_MAX - 1);
		assert_true(dh_unzigzag(coded) == values[i]);
	}
}

/* ---- round trips ---- */

static void expect_same_numbers(const struct kit *a, const struct kit *b)
{
	assert_int_equal(a->events.len, b->events.len);
	for (size_t i = 0; i < a->events.len; i++) {
		const struct dh_event *x = &a->events.at[i], *y = &b->events.at[i];
		assert_int_equal(x->op, y->op);
		assert_int_equal(x->thread, y->thread);
		assert_int_equal(x->target, y->target);
		assert_int_equal(x->site, y->site);
		assert_int_equal(x->nested, y->nested);
		assert_int_equal(x->has_value, y->has_value);
		assert_true(x->value == y->value);
		assert_int_equal(x->reach_count, y->reach_count);
		if (x->reach_count)
			assert_memory_equal(x->reach, y->reach,
					    x->reach_count * sizeof *x->reach);
	}
}

/* text -> binary -> text gives the same bytes, and the same numbers on the way. */
static struct dh_bytes round_trip(const struct dh_bytes *text)
{
	struct kit k, again;
	kit_read(&k, text->at, text->len);
	assert_int_equal(k.result, 0);
	struct dh_bytes b = kit_as(&k, DH_TRACE_BINARY);
	kit_read(&again, b.at, b.len);
	assert_int_equal(again.result, 0);
	assert_null(dh_reader_damage(again.reader));
	assert_int_equal(dh_reader_format(again.reader), DH_TRACE_BINARY);
	expect_same_numbers(&k, &again);
	struct dh_bytes back = kit_as(&again, DH_TRACE_TEXT);
	assert_int_equal(back.len, text->len);
	assert_memory_equal(back.at, text->at, back.len);
	dh_vec_free(&back);
	kit_close(&k);
	kit_close(&again);
	return b;
}

static void test_random(void **state)
{
	(void)state;
	struct dice d = {3};
	for (int run = 0; run < 60; run++) {
		struct dh_bytes text = kit_random(&d, 20 + dice_roll(&d, 200));
		struct dh_bytes b = round_trip(&text);
		dh_vec_free(&text);
		dh_vec_free(&b);
	}
}

static unsigned count_blocks(const struct dh_bytes *b)
{
	unsigned n = 0;
	for (size_t at = 16; at < b->len; n++)
		at += 20 + ((size_t)b->at[at + 4] | (size_t)b->at[at + 5] << 8 |
			    (size_t)b->at[at + 6] << 16);
	return n;
}

/* Many blocks, names all along. */
static void test_many_blocks(void **state)
{
	(void)state;
	struct dice d = {4};
	struct dh_bytes text = {0};
	for (uint32_t i = 0; i < 120000; i++) {
		char line[80];
		uint32_t var = dice_roll(&d, 2 + i / 4), thread = (i / 16) % 5;
		int n = snprintf(line, sizeof line, "T%u|%c(v%u)|src/f%u.c:%u\n", thread,
				 var % 3 ? 'r' : 'w', var, var % 10, var % 100);
		dh_bytes_put(&text, line, (size_t)n);
	}
	struct dh_bytes b = round_trip(&text);
	assert_true(count_blocks(&b) > 2);
	assert_true(b.len < text.len / 4);
	dh_vec_free(&b);
	dh_vec_free(&text);
}

/* One name and one list that are longer than a block usually is. */
static void test_long(void **state)
{
	(void)state;
	struct dh_bytes text = {0};
	dh_bytes_put(&text, "T|r(", 4);
	for (int i = 0; i < 1 << 20; i++)
		dh_bytes_byte(&text, (uint8_t)('a' + i % 26));
	dh_bytes_put(&text, ")|a\nT|mb(m:w", 12);
	for (int i = 0; i < 300000; i++)
		dh_bytes_put(&text, i % 1000 ? ",v" : ",w", 2);
	dh_bytes_put(&text, ")|b\nT|me(m)|\n", 13);
	struct dh_bytes b = round_trip(&text);
	assert_int_equal(count_blocks(&b), 6); /* T; the name; w, v; mb; me; end */
	dh_vec_free(&b);
	dh_vec_free(&text);
}

static int no_sink(void *context, const void *data, size_t n)
{
	(void)data;
	(void)n;
	return *(int *)context;
}

static void test_too_long(void **state)
{
	(void)state;
	struct dh_binary_writer w;
	struct dh_names *names = dh_names_new();
	size_t len = DH_BLOCK_MAX;
	char *text = malloc(len);
	int status = 0;
	memset(text, 'x', len);
	struct dh_event ev = {.op = DH_READ};
	dh_names_intern(names, DH_NAME_THREAD, "T", 1);
	dh_names_intern(names, DH_NAME_VAR, text, len);
	assert_int_equal(dh_binary_writer_init(&w, false, no_sink, &status), 0);
	assert_int_equal(dh_binary_put(&w, names, &ev), -E2BIG);
	status = -ENOSPC;
	assert_int_equal(dh_binary_finish(&w), -ENOSPC);
	dh_binary_writer_free(&w);
	assert_int_equal(dh_binary_writer_init(&w, false, no_sink, &status), -ENOSPC);
	dh_binary_writer_free(&w);
	free(text);
	dh_names_free(names);
}

/* The numbers in the file do not depend on the writer's. */
static void test_renumbered(void **state)
{
	(void)state;
	struct kit k, again;
	kit_read_text(&k, "A|w(x)|a\nA|w(y)|b\nB|w(z)|c\nA|mb(m:z,x)|d\nA|w(x)|\n");
	for (size_t i = 0; i < k.events.len / 2; i++) {
		struct dh_event swap = k.events.at[i];
		k.events.at[i] = k.events.at[k.events.len - 1 - i];
		k.events.at[k.events.len - 1 - i] = swap;
	}
	struct dh_bytes b = kit_as(&k, DH_TRACE_BINARY);
	kit_read(&again, b.at, b.len);
	kit_expect_prefix(&k, &again);
	assert_int_equal(again.events.len, 5);
	assert_int_equal(again.events.at[0].target, 0);
	dh_vec_free(&b);
	kit_close(&k);
	kit_close(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exact),      cmocka_unit_test(test_zigzag),
	    cmocka_unit_test(test_random),     cmocka_unit_test(test_many_blocks),
	    cmocka_unit_test(test_long),       cmocka_unit_test(test_too_long),
	    cmocka_unit_test(test_renumbered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
