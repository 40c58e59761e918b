/* SPDX-License-Identifier: MIT */
/*
 * What the reader of the binary format makes of files that are cut, hurt, newer or
 * malicious.
 */
#include "trace_kit.h"
#include "base/crc32c.h"
#include "trace/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files made by hand ---- */

static void put_u32(struct dh_bytes *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		dh_bytes_byte(to, (uint8_t)(v >> 8 * i));
}

static void put_header(struct dh_bytes *to, uint8_t version)
{
	dh_bytes_put(to, DH_TRACE_MAGIC, 8);
	dh_bytes_put(to, (uint8_t[]){version, 0, 0, 0}, 4);
	put_u32(to, dh_crc32c(0, to->at, 12));
}

static void put_block(struct dh_bytes *to, uint8_t kind, uint8_t codec, uint32_t plain,
		      uint32_t events, const void *data, size_t n)
{
	size_t start = to->len;
	dh_bytes_put(to, (uint8_t[]){kind, codec, 0, 0}, 4);
	put_u32(to, (uint32_t)n);
	put_u32(to, plain);
	put_u32(to, events);
	uint32_t crc = dh_crc32c(0, to->at + start, 16);
	put_u32(to, dh_crc32c(crc, data, n));
	dh_bytes_put(to, data, n);
}

static void put_raw(struct dh_bytes *to, uint8_t kind, uint32_t events, const char *data,
		    size_t n)
{
	put_block(to, kind, DH_CODEC_RAW, (uint32_t)n, events, data, n);
}

/* Reads the file, which is freed, and expects so many events, then this damage. */
static void expect_damage(struct dh_bytes *file, size_t events, const char *message)
{
	struct kit k;
	kit_read(&k, file->at, file->len);
	assert_int_equal(k.result, 0);
	assert_int_equal(k.events.len, events);
	if (message) {
		assert_non_null(dh_reader_damage(k.reader));
		assert_string_equal(dh_reader_damage(k.reader), message);
	} else {
		assert_null(dh_reader_damage(k.reader));
	}
	assert_null(dh_reader_error(k.reader));
	kit_close(&k);
	dh_vec_free(file);
}

static void expect_error(struct dh_bytes *file, const char *message)
{
	struct kit k;
	kit_read(&k, file->at, file->len);
	assert_true(k.result < 0);
	assert_string_equal(dh_reader_error(k.reader), message);
	kit_close(&k);
	dh_vec_free(file);
}

static struct dh_bytes binary_of(const char *text)
{
	struct kit k;
	kit_read_text(&k, text);
	assert_int_equal(k.result, 0);
	struct dh_bytes b = kit_as(&k, DH_TRACE_BINARY);
	kit_close(&k);
	return b;
}

/* ---- damage ---- */

struct counted {
	struct dh_bytes bytes;
	size_t events; /* put when the bytes came */
	size_t *where;
	size_t room;
};

static int counting_sink(void *context, const void *data, size_t n)
{
	struct counted *c = context;
	dh_bytes_put(&c->bytes, data, n);
	assert_true(c->bytes.len < c->room);
	c->where[c->bytes.len] = c->events;
	return 0;
}

/* A trace in several small blocks; where[] gets the events complete at each byte. */
static struct dh_bytes in_blocks(const struct kit *k, size_t *where, size_t room)
{
	struct counted c = {.where = where, .room = room};
	struct dh_binary_writer w;
	memset(where, 0, room * sizeof *where);
	assert_int_equal(dh_binary_writer_init(&w, false, counting_sink, &c), 0);
	for (size_t i = 0; i < k->events.len; i++) {
		dh_binary_put(&w, dh_reader_names(k->reader), &k->events.at[i]);
		c.events = i + 1;
		if (i % 7 == 6)
			assert_int_equal(dh_binary_flush(&w), 0);
	}
	assert_int_equal(dh_binary_finish(&w), 0);
	dh_binary_writer_free(&w);
	for (size_t i = 1; i < room; i++)
		where[i] = DH_MAX(where[i], where[i - 1]);
	return c.bytes;
}

enum { ROOM = 4000 };

static void small_trace(struct kit *k, struct dh_bytes *bytes, size_t *where)
{
	struct dice d = {5};
	struct dh_bytes text = kit_random(&d, 40);
	kit_read(k, text.at, text.len);
	assert_int_equal(k->result, 0);
	*bytes = in_blocks(k, where, ROOM);
	dh_vec_free(&text);
}

/* Cut at every byte: all events of the blocks that are whole, then damage. */
static void test_cut(void **state)
{
	(void)state;
	static size_t where[ROOM];
	struct kit whole, k;
	struct dh_bytes b;
	small_trace(&whole, &b, where);
	for (size_t n = 1; n < b.len; n++) {
		uint8_t *copy = malloc(n); /* so that a sanitizer sees the edge */
		memcpy(copy, b.at, n);
		kit_read(&k, copy, n);
		assert_int_equal(k.result, 0);
		assert_int_equal(k.events.len, where[n]);
		assert_non_null(dh_reader_damage(k.reader));
		kit_expect_prefix(&whole, &k);
		kit_close(&k);
		free(copy);
	}
	kit_read(&k, b.at, b.len);
	assert_int_equal(k.events.len, 40);
	assert_null(dh_reader_damage(k.reader));
	kit_close(&k);
	kit_close(&whole);
	dh_vec_free(&b);
}

/* Every bit turned over: never unnoticed, and what comes before it stands. */
static void test_flips(void **state)
{
	(void)state;
	static size_t where[ROOM];
	struct kit whole, k;
	struct dh_bytes b;
	small_trace(&whole, &b, where);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		kit_read(&k, b.at, b.len);
		if (bit / 8 >= 16)
			assert_int_equal(k.events.len, where[bit / 8]);
		assert_true(k.result < 0 || dh_reader_damage(k.reader));
		kit_expect_prefix(&whole, &k);
		kit_close(&k);
		b.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	kit_close(&whole);
	dh_vec_free(&b);
}

static void test_messages(void **state)
{
	(void)state;
	struct dh_bytes b = binary_of("T|w(x)|a\nT|w(x)|a\n");
	b.at[40] ^= 1;
	expect_damage(
	    &b, 0,
	    "trace: block 1 at byte 16: CRC mismatch; 0 events before it were read");
	b = binary_of("T|w(x)|a\nT|w(x)|a\n");
	b.len -= 21;
	expect_damage(
	    &b, 2,
	    "trace: block 2 at byte 51: the end block is missing; 2 events before "
	    "it were read");
	b = binary_of("T|w(x)|a\nT|w(x)|a\n");
	b.len--;
	expect_damage(
	    &b, 2, "trace: block 2 at byte 51: cut short; 2 events before it were read");
	b = binary_of("T|w(x)|a\nT|w(x)|a\n");
	dh_bytes_byte(&b, 0);
	expect_damage(
	    &b, 2,
	    "trace: block 3 at byte 72: more bytes after the end block; 2 events "
	    "before it were read");
	b = binary_of("T|w(x)|a\n");
	b.len = 15;
	expect_damage(&b, 0,
		      "trace: header at byte 0: cut short; 0 events before it were read");
	b = binary_of("T|w(x)|a\n");
	b.at[10] = 1;
	expect_damage(
	    &b, 0, "trace: header at byte 0: CRC mismatch; 0 events before it were read");
}

static void test_versions(void **state)
{
	(void)state;
	struct dh_bytes b = {0};
	put_header(&b, 3);
	expect_error(
	    &b, "trace: binary trace of version 3; this deadheat reads up to version "
		"2: use a newer one");
	put_header(&b, 2);
	expect_error(&b, "trace: a recording, which this program does not read");
	put_header(&b, 0);
	expect_error(&b, "trace: binary trace of version 0, which does not exist");
}

/* Right sums, wrong contents. */
static void test_contents(void **state)
{
	(void)state;
	static const struct {
		const char *data;
		size_t n;
		uint32_t declared;
		size_t events;
		const char *what;
	} bad[] = {
#define BLOCK(text) text, sizeof text - 1
#define NAMES	    "\3\0\1T\1\1x\7\1a"
	    {BLOCK(""), 0, 0, "a number is cut short"},
	    {BLOCK("\x80"), 0, 0, "a number is cut short"},
	    {BLOCK("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 0, 0,
	     "a number has more than 64 bits"},
	    {BLOCK("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0, 0,
	     "a name is cut short"},
	    {BLOCK("\1"), 0, 0, "a name is cut short"},
	    {BLOCK("\1\0\5T"), 0, 0, "a name is cut short"},
	    {BLOCK("\1\10\1T"), 0, 0, "a name of the unknown kind 8"},
	    {BLOCK("\1\0\0"), 0, 0, "a name has characters that no name may have"},
	    {BLOCK("\1\1\3a|b"), 0, 0, "a name has characters that no name may have"},
	    {BLOCK("\1\7\2a\r"), 0, 0, "a name has characters that no name may have"},
	    {BLOCK("\2\1\1a\1\1a"), 0, 0, "a name is defined twice"},
	    {BLOCK("\1\7\0"), 0, 0, "a name is defined twice"},
	    {BLOCK(NAMES "\0\0"), 0, 0, "more bytes than its events have"},
	    {BLOCK(NAMES "\0\0\0\0"), 1, 1, "more bytes than its events have"},
	    {BLOCK(NAMES "\0\0"), 2, 1, "fewer events than its header says"},
	    {BLOCK(NAMES "\0"), 1, 0, "a number is cut short"},
	    {BLOCK(NAMES "\0\2"), 1, 0, "event 0 has a variable that was not named"},
	    {BLOCK(NAMES "\0\0\0\1"), 2, 1, "event 1 has a variable that was not named"},
	    {BLOCK(NAMES "\2\0"), 1, 0, "event 0 has a lock that was not named"},
	    {BLOCK(NAMES "\x20\2\0"), 1, 0, "event 0 has a thread that was not named"},
	    {BLOCK(NAMES "\x40\4\0"), 1, 0, "event 0 has a location that was not named"},
	    {BLOCK("\0\0\0"), 1, 0, "event 0 has a thread that was not named"},
	    {BLOCK(NAMES "\x11\0"), 1, 0, "event 0 has the unknown operation 17"},
	    {BLOCK(NAMES "\x86\0\0"), 1, 0,
	     "event 0 has a value but is no read or write"},
	    {BLOCK("\2\0\1T\6\1m\x8f\0\5"), 1, 0, "a list of variables is cut short"},
	    {BLOCK("\2\0\1T\6\1m\x8f\0\1\0"), 1, 0,
	     "event 0 has a variable that was not named"},
#undef NAMES
#undef BLOCK
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(bad); i++) {
		struct dh_bytes b = {0};
		char message[200];
		put_header(&b, 1);
		put_raw(&b, DH_BLOCK_EVENTS, bad[i].declared, bad[i].data, bad[i].n);
		snprintf(message, sizeof message,
			 "trace: block 1 at byte 16: %s; %zu events before it were read",
			 bad[i].what, bad[i].events);
		expect_damage(&b, bad[i].events, message);
	}
}

static void expect_bad_block(uint8_t kind, uint8_t codec, uint32_t plain,
			     const char *data, size_t n, const char *what)
{
	struct dh_bytes b = {0};
	char message[200];
	put_header(&b, 1);
	put_block(&b, kind, codec, plain, 0, data, n);
	snprintf(message, sizeof message,
		 "trace: block 1 at byte 16: %s; 0 events before it were read", what);
	expect_damage(&b, 0, message);
}

static void test_blocks(void **state)
{
	(void)state;
	expect_bad_block(3, 0, 1, "\0", 1, "unknown kind 3");
	expect_bad_block(1, 2, 1, "\0", 1, "unknown codec 2");
	expect_bad_block(1, 0, 2, "\0", 1, "a raw block with two lengths");
	expect_bad_block(1, 1, 2, "\0", 1,
			 "its zstd frame has another length than its header");
	expect_bad_block(1, 0, DH_BLOCK_MAX + 1, "\0", 1,
			 "bad header (a block has 16777216 bytes at most)");
	expect_bad_block(2, 0, 0, "", 0, "bad end block");
	expect_bad_block(2, 0, 2, "\0\0", 2, "bad end block");
	expect_bad_block(2, 0, 1, "\5", 1, "the end block counts 5 events");
	/* A frame head that promises 16 MiB, and nothing behind it. */
	expect_bad_block(1, 1, DH_BLOCK_MAX, "\x28\xb5\x2f\xfd\xa0\0\0\0\1", 9,
			 "its zstd frame does not unpack");
}

/* Blocks of kinds to come, empty blocks, names alone: all fine. */
static void test_passed_over(void **state)
{
	(void)state;
	struct dh_bytes b = {0};
	put_header(&b, 1);
	put_block(&b, DH_BLOCK_OPTIONAL | 5, 77, 123, 9, "whatever", 8);
	put_raw(&b, DH_BLOCK_EVENTS, 0, "\0", 1);
	put_raw(&b, DH_BLOCK_EVENTS, 0, "\2\0\1T\1\1x", 7);
	put_raw(&b, DH_BLOCK_EVENTS, 1, "\0\0\0", 3);
	put_raw(&b, DH_BLOCK_OPTIONAL, 0, "", 0);
	put_raw(&b, DH_BLOCK_EVENTS, 1, "\0\1\0", 3);
	put_raw(&b, DH_BLOCK_END, 0, "\2", 1);
	expect_damage(&b, 2, NULL);
}

/* What the check refuses is an error, not damage. */
static void test_not_well_formed(void **state)
{
	(void)state;
	struct dh_bytes b = {0};
	put_header(&b, 1);
	put_raw(&b, DH_BLOCK_EVENTS, 2, "\3\0\1T\1\1x\2\1l\0\0\3\0", 14);
	expect_error(
	    &b, "trace: event 1: release of lock 'l', which thread 'T' does not hold");
	put_header(&b, 1);
	put_raw(&b, DH_BLOCK_EVENTS, 1, "\2\0\2#T\1\1x\0\0", 10);
	expect_error(&b,
		     "trace: event 0: thread '#T' has events, but its name begins with "
		     "'#'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut),		cmocka_unit_test(test_flips),
	    cmocka_unit_test(test_messages),	cmocka_unit_test(test_versions),
	    cmocka_unit_test(test_contents),	cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_passed_over), cmocka_unit_test(test_not_well_formed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
