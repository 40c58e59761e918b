/* SPDX-License-Identifier: MIT */
/* Findings of a running process: messages are read as they were meant, cut and garbled
 * ones are refused, and reports that say the same are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/live.h"

static struct dh_vec(char) message;

static void word(uint64_t n)
{
	for (size_t i = 0; i < sizeof n; i++)
		dh_vec_push(&message, ((const char *)&n)[i]);
}

static void text(const char *s)
{
	word(strlen(s));
	for (; *s; s++)
		dh_vec_push(&message, *s);
}

static void stack(size_t depth)
{
	word(depth);
	for (size_t i = 0; i < depth; i++)
		word(0x1000 + i);
}

static void put_access(uint64_t flags, uint64_t thread)
{
	word(flags);
	word(0x5004);
	word(4);
	word(thread);
	stack(2);
}

static void put_lock(void)
{
	word(0x6000);
	word(DH_WIRE_LOCK_WRITE);
	text("big lock");
	stack(3);
	stack(0);
}

/* Up to its object. */
static void put_race_start(void)
{
	message.len = 0;
	word(7);
	word(DH_WIRE_POTENTIAL);
	word(0x5004);
	word(4);
	put_access(DH_WIRE_WRITE, 1);
	put_access(DH_WIRE_WRITE | DH_WIRE_FREE, DH_WIRE_NO_THREAD);
	word(1);
	word(1);
	word(0);
	word(99);
	word(DH_WIRE_RUNNING);
	text("worker");
	stack(1);
	word(1);
	put_lock();
	word(2);
	word(1);
	word(1);
	put_lock();
	word(0);
	text("queue");
}

static void put_race(void)
{
	put_race_start();
	word(DH_OBJECT_HEAP);
	word(0x5000);
	word(24);
	word(1);
	stack(2);
	word(1);
	word(1);
	word(2);
	word(0x1000);
	word(DH_WIRE_FOLDED);
}

/* Reads the first n bytes, from memory of exactly that size. */
static bool read_race(size_t n, struct dh_live_race *r)
{
	struct dh_symbols *s = dh_symbols_new();
	char *copy = malloc(n ? n : 1);
	memcpy(copy, message.at, n);
	struct dh_live_input in = {.at = copy, .left = n};
	bool good = dh_live_read_race(&in, s, r);
	free(copy);
	dh_symbols_free(s);
	return good;
}

static void whole(void **state)
{
	(void)state;
	struct dh_live_race r;
	put_race();
	assert_true(read_race(message.len, &r));
	assert_int_equal(r.serial, 7);
	assert_string_equal(dh_live_grade(&r), "potential");
	assert_int_equal(r.address, 0x5004);
	assert_int_equal(r.second.thread, 1);
	assert_int_equal(r.second.stack.len, 2);
	assert_int_equal(r.second.stack.at[1].pc, 0x1001);
	assert_int_equal(r.first.flags, DH_WIRE_WRITE | DH_WIRE_FREE);
	assert_int_equal(r.threads.len, 1);
	assert_string_equal(r.threads.at[0].name, "worker");
	assert_int_equal(r.threads.at[0].created.len, 1);
	assert_int_equal(r.locks.len, 1);
	assert_string_equal(r.locks.at[0].name, "big lock");
	assert_int_equal(r.locks.at[0].taken.len, 3);
	assert_int_equal(r.locks_lost, 2);
	assert_true(r.earlier_known);
	assert_int_equal(r.sure.len, 1);
	assert_string_equal(r.sure.at[0].name, "big lock");
	assert_int_equal(r.maybe.len, 0);
	assert_string_equal(r.object.label, "queue");
	assert_int_equal(r.object.kind, DH_OBJECT_HEAP);
	assert_int_equal(r.object.size, 24);
	assert_true(r.object.freed);
	assert_int_equal(r.object.released.len, 1);
	assert_true(r.object.released.at[0].folded);
	assert_false(r.object.allocated.at[0].folded);
	dh_live_free_race(&r);
}

static void mapping(void **state)
{
	(void)state;
	struct dh_live_race r;
	put_race_start();
	word(DH_OBJECT_MAPPING);
	word(0x5000);
	word(4096);
	word(8192);
	text("/srv/ledger");
	assert_true(read_race(message.len, &r));
	assert_int_equal(r.object.kind, DH_OBJECT_MAPPING);
	assert_int_equal(r.object.base, 0x5000);
	assert_int_equal(r.object.file_offset, 8192);
	assert_string_equal(r.object.file, "/srv/ledger");
	dh_live_free_race(&r);
}

static void cut_short(void **state)
{
	(void)state;
	put_race();
	for (size_t n = 0; n < message.len; n++) {
		struct dh_live_race r;
		assert_false(read_race(n, &r));
		dh_live_free_race(&r);
	}
}

/* Any word turned into a large number: refused or read, never followed. */
static void garbled(void **state)
{
	(void)state;
	const uint64_t wild[] = {UINT64_MAX, 1ull << 60, 1000};
	for (size_t w = 0; w < sizeof wild / sizeof *wild; w++) {
		put_race();
		for (size_t at = 0; at + 8 <= message.len; at += 4) {
			struct dh_live_race r;
			put_race();
			memcpy(message.at + at, &wild[w], 8);
			read_race(message.len, &r);
			dh_live_free_race(&r);
		}
	}
}

static void hello(void **state)
{
	(void)state;
	for (uint64_t version = 0; version < 3; version++) {
		struct dh_live_hello h;
		message.len = 0;
		word(version);
		word(123);
		word(DH_HELLO_QUIET);
		text("log");
		text("");
		struct dh_live_input in = {.at = message.at, .left = message.len};
		assert_int_equal(dh_live_read_hello(&in, &h), version == DH_WIRE_VERSION);
		assert_string_equal(h.log, "log");
		dh_live_free_hello(&h);
	}
}

/* ---- groups ---- */

static struct dh_source_frame frame(const char *function, const char *file, uint32_t line,
				    uint64_t pc)
{
	return (struct dh_source_frame){
	    .pc = pc, .function = function, .file = file, .line = line};
}

/* A race of two stacks of two frames: (line, caller's line). */
static bool worth(struct dh_live_groups *g, uint32_t a, uint32_t a2, uint32_t b,
		  uint32_t b2)
{
	static uint64_t pc = 1;
	struct dh_live_race r = {0};
	const char *file = a ? "a.c" : NULL;
	dh_vec_push(&r.first.stack, frame("f", file, a, pc++));
	dh_vec_push(&r.first.stack, frame("g", file, a2, pc++));
	dh_vec_push(&r.second.stack, frame("f", file, b, pc++));
	dh_vec_push(&r.second.stack, frame("g", file, b2, pc++));
	bool answer = dh_live_groups_worth(g, &r);
	dh_live_free_race(&r);
	return answer;
}

static void same_lines(void **state)
{
	(void)state;
	struct dh_live_groups g = {0};
	assert_true(worth(&g, 1, 10, 2, 20));
	assert_false(worth(&g, 1, 10, 2, 20));
	assert_false(worth(&g, 2, 20, 1, 10)); /* the other way round */
	assert_true(worth(&g, 1, 10, 3, 20));
	assert_int_equal(g.left_out, 2);
	dh_live_groups_free(&g);
}

static void many_callers(void **state)
{
	(void)state;
	struct dh_live_groups g = {0};
	unsigned shown = 0;
	for (uint32_t caller = 10; caller < 20; caller++)
		shown += worth(&g, 1, caller, 2, 20);
	assert_int_equal(shown, 3);
	assert_int_equal(g.left_out, 7);
	assert_true(worth(&g, 5, 10, 2, 20));
	dh_live_groups_free(&g);
}

static void without_lines(void **state)
{
	(void)state;
	struct dh_live_groups g = {0};
	for (int i = 0; i < 10; i++) /* each has addresses of its own */
		assert_true(worth(&g, 0, 0, 0, 0));
	dh_live_groups_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole),	    cmocka_unit_test(mapping),
	    cmocka_unit_test(cut_short),    cmocka_unit_test(garbled),
	    cmocka_unit_test(hello),	    cmocka_unit_test(same_lines),
	    cmocka_unit_test(many_callers), cmocka_unit_test(without_lines),
	};
	int failed = cmocka_run_group_tests_name("live", tests, NULL, NULL);
	dh_vec_free(&message);
	return failed;
}
