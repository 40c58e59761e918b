/* SPDX-License-Identifier: MIT */
/*
 * FastTrack: every rule by its counter, every kind of race with both of its accesses,
 * every kind of order that must keep it silent, and the cells under many threads.
 */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_fasttrack;

/* Plays and asserts that nothing is reported. */
static void silent(const char *lines)
{
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, lines);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* Plays and asserts that x has exactly this race. */
static void race(const char *lines, int first, bool first_write, int second,
		 bool second_write)
{
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, lines);
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "x", first, second));
	assert_int_equal(s.races[0].grade, DH_OBSERVED);
	assert_int_equal(s.races[0].first_write, first_write);
	assert_int_equal(s.races[0].second_write, second_write);
	assert_int_not_equal(s.races[0].first.thread, s.races[0].second.thread);
	scene_close(&s);
}

/* ---- rules ---- */

/* The counters in the order of the list: READ same epoch, shared, exclusive, share;
 * WRITE same epoch, exclusive, shared. */
static void assert_rules(const struct scene *s, const uint64_t want[7])
{
	static const char *const names[7] = {
	    "read_same_epoch",	"read_shared",	   "read_exclusive", "read_share",
	    "write_same_epoch", "write_exclusive", "write_shared",
	};
	for (int i = 0; i < 7; i++)
		if (scene_counter(s, names[i]) != want[i])
			fail_msg("%s is %u, not %u", names[i],
				 (unsigned)scene_counter(s, names[i]), (unsigned)want[i]);
}

#define RULES(...) ((const uint64_t[7]){__VA_ARGS__})

static void read_rules(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|r(x)|\n"); /* exclusive: the first read */
	assert_rules(&s, RULES(0, 0, 1, 0, 0, 0, 0));
	scene_play(&s, "T1|r(x)|\n"); /* same epoch */
	assert_rules(&s, RULES(1, 0, 1, 0, 0, 0, 0));
	scene_play(&s, "T1|snd(m)|\n"
		       "T2|rcv(m)|\n"
		       "T2|r(x)|\n"); /* exclusive: ordered after the former */
	assert_rules(&s, RULES(1, 0, 2, 0, 0, 0, 0));
	scene_play(&s, "T1|r(x)|\n"); /* share: T2's is not ordered before it */
	assert_rules(&s, RULES(1, 0, 2, 1, 0, 0, 0));
	scene_play(&s, "T3|r(x)|\n"   /* shared: one more */
		       "T3|r(x)|\n"   /* same epoch */
		       "T2|r(x)|\n"   /* same epoch: from before the inflation */
		       "T1|r(x)|\n"   /* same epoch */
		       "T1|snd(m)|\n" /* a new time frame of T1 */
		       "T1|r(x)|\n"); /* shared: its own clock replaced */
	assert_rules(&s, RULES(4, 2, 2, 1, 0, 0, 0));
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

static void write_rules(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|w(x)|\n"); /* exclusive */
	assert_rules(&s, RULES(0, 0, 0, 0, 0, 1, 0));
	scene_play(&s, "T1|w(x)|\n"); /* same epoch */
	assert_rules(&s, RULES(0, 0, 0, 0, 1, 1, 0));
	scene_play(&s, "T1|snd(m)|\n"
		       "T1|w(x)|\n"); /* exclusive: a new time frame */
	assert_rules(&s, RULES(0, 0, 0, 0, 1, 2, 0));
	scene_play(&s, "T1|snd(m)|\n"
		       "T2|rcv(m)|\n"
		       "T2|w(x)|\n"); /* exclusive: handed over */
	assert_rules(&s, RULES(0, 0, 0, 0, 1, 3, 0));
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* A write that comes after shared reads forgets them: the next read is one epoch
 * again, and the next write looks at no readers. */
static void write_shared_resets_readers(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T0|fork(T1)|\n"
		       "T0|fork(T2)|\n"
		       "T1|r(x)|\n"
		       "T2|r(x)|\n"
		       "T0|join(T1)|\n"
		       "T0|join(T2)|\n"
		       "T0|w(x)|\n");
	assert_rules(&s, RULES(0, 0, 1, 1, 0, 0, 1));
	scene_play(&s, "T0|r(x)|\n"
		       "T0|snd(m)|\n"
		       "T0|w(x)|\n");
	assert_rules(&s, RULES(0, 0, 2, 1, 0, 1, 1));
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* ---- races ---- */

static void race_write_write(void **state)
{
	(void)state;
	race("T1|w(x)|a\n"
	     "T2|w(x)|b\n",
	     0, true, 1, true);
}

static void race_write_read(void **state)
{
	(void)state;
	race("T1|w(x)|a\n"
	     "T2|r(x)|b\n",
	     0, true, 1, false);
}

static void race_read_write(void **state)
{
	(void)state;
	race("T1|r(x)|a\n"
	     "T2|w(x)|b\n",
	     0, false, 1, true);
}

/* The read in the cell is the last of its thread, the write is what races. */
static void race_names_last_read(void **state)
{
	(void)state;
	race("T1|r(x)|a\n"
	     "T1|snd(m)|\n"
	     "T1|r(x)|b\n"
	     "T2|rcv(m)|\n"
	     "T2|w(x)|c\n",
	     2, false, 4, true);
}

/* The write and the read of one thread both race with the same write. */
static void race_with_both_kinds(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|w(x)|a\n"
		       "T1|r(x)|b\n"
		       "T2|w(x)|c\n");
	assert_int_equal(s.race_count, 2);
	assert_true(scene_has(&s, "x", 0, 2));
	assert_true(scene_has(&s, "x", 1, 2));
	scene_close(&s);
}

/* Of shared readers only the unordered ones are named. */
static void race_with_shared_readers(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|r(x)|a\n"
		       "T2|r(x)|b\n"
		       "T3|r(x)|c\n"
		       "T2|snd(m)|\n"
		       "T4|rcv(m)|\n"
		       "T4|w(x)|d\n");
	assert_int_equal(s.race_count, 2);
	assert_true(scene_has(&s, "x", 0, 5));
	assert_true(scene_has(&s, "x", 2, 5));
	assert_false(scene_has(&s, "x", 1, 5));
	assert_int_equal(s.races[0].first_write, false);
	scene_close(&s);
}

/* A shared read still looks at the last write. */
static void race_write_shared_read(void **state)
{
	(void)state;
	race("T1|w(x)|a\n"
	     "T1|snd(m)|\n"
	     "T2|rcv(m)|\n"
	     "T3|rcv(m)|\n"
	     "T2|r(x)|b\n"
	     "T3|r(x)|c\n"
	     "T4|r(x)|d\n",
	     0, true, 6, false);
}

/* After the first race others are still found, as far as the cell knows. */
static void races_after_the_first(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|w(x)|a\n"
		       "T2|w(x)|b\n"
		       "T3|r(x)|c\n"
		       "T1|w(x)|d\n");
	assert_int_equal(s.race_count, 4);
	assert_true(scene_has(&s, "x", 0, 1));
	assert_true(scene_has(&s, "x", 1, 2));
	assert_true(scene_has(&s, "x", 1, 3));
	assert_true(scene_has(&s, "x", 2, 3));
	scene_close(&s);
}

/* Variables have nothing to do with each other. */
static void races_by_variable(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	scene_play(&s, "T1|w(x)|a\n"
		       "T1|w(y)|b\n"
		       "T1|snd(m)|\n"
		       "T1|w(z)|c\n"
		       "T2|rcv(m)|\n"
		       "T2|w(y)|d\n"
		       "T2|w(x)|e\n"
		       "T2|w(z)|f\n");
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "z", 3, 7));
	scene_close(&s);
}

/* ---- order ---- */

static void volatile_is_a_fence(void **state)
{
	(void)state;
	silent("T1|w(x)|a\n"
	       "T1|vw(v)|\n"
	       "T2|vr(v)|\n"
	       "T2|w(x)|b\n");
	race("T1|w(x)|a\n"
	     "T2|vr(v)|\n" /* too early */
	     "T1|vw(v)|\n"
	     "T2|r(x)|b\n",
	     0, true, 3, false);
	race("T1|w(x)|a\n"
	     "T1|vw(v)|\n"
	     "T2|vr(u)|\n" /* another one */
	     "T2|r(x)|b\n",
	     0, true, 3, false);
	race("T1|r(x)|a\n"
	     "T1|vr(v)|\n" /* a read sends nothing */
	     "T2|vw(v)|\n"
	     "T2|w(x)|b\n",
	     0, false, 3, true);
	race("T1|w(x)|a\n"
	     "T1|vw(v)|\n"
	     "T1|r(x)|b\n" /* after the fence */
	     "T2|vr(v)|\n"
	     "T2|w(x)|c\n",
	     2, false, 4, true);
}

static void fork_and_join_order(void **state)
{
	(void)state;
	silent("T0|w(x)|a\n"
	       "T0|fork(T1)|\n"
	       "T1|w(x)|b\n"
	       "T0|join(T1)|\n"
	       "T0|w(x)|c\n");
	race("T0|fork(T1)|\n"
	     "T0|w(x)|a\n" /* after the fork */
	     "T1|w(x)|b\n",
	     1, true, 2, true);
	race("T0|fork(T1)|\n"
	     "T1|w(x)|a\n"
	     "T0|r(x)|b\n" /* before the join */
	     "T0|join(T1)|\n",
	     1, true, 2, false);
}

static void locks_order(void **state)
{
	(void)state;
	silent("T1|acq(l)|\n"
	       "T1|w(x)|a\n"
	       "T1|rel(l)|\n"
	       "T2|acq(l)|\n"
	       "T2|w(x)|b\n"
	       "T2|rel(l)|\n");
	race("T1|acq(l)|\n"
	     "T1|w(x)|a\n"
	     "T1|rel(l)|\n"
	     "T2|acq(k)|\n"
	     "T2|w(x)|b\n"
	     "T2|rel(k)|\n",
	     1, true, 4, true);
}

/* Readers of a reader-writer lock are ordered with its writers only. */
static void read_mode_orders_with_writers(void **state)
{
	(void)state;
	silent("T1|acq(l)|\n"
	       "T1|w(x)|a\n"
	       "T1|rel(l)|\n"
	       "T2|rdacq(l)|\n"
	       "T3|rdacq(l)|\n"
	       "T2|r(x)|b\n"
	       "T3|r(x)|c\n"
	       "T2|rdrel(l)|\n"
	       "T3|rdrel(l)|\n"
	       "T1|acq(l)|\n"
	       "T1|w(x)|d\n"
	       "T1|rel(l)|\n");
	race("T1|rdacq(l)|\n"
	     "T1|w(x)|a\n"
	     "T1|rdrel(l)|\n"
	     "T2|rdacq(l)|\n"
	     "T2|w(x)|b\n"
	     "T2|rdrel(l)|\n",
	     1, true, 4, true);
}

static void barrier_orders_its_episode(void **state)
{
	(void)state;
	silent("T1|w(x)|a\n"
	       "T1|benter(b)|\n"
	       "T2|benter(b)|\n"
	       "T2|bleave(b)|\n"
	       "T2|w(x)|b\n"
	       "T1|bleave(b)|\n");
	race("T1|benter(b)|\n"
	     "T2|benter(b)|\n"
	     "T2|bleave(b)|\n"
	     "T2|w(x)|a\n"
	     "T1|bleave(b)|\n"
	     "T1|w(x)|b\n",
	     3, true, 5, true);
}

static void alloc_starts_over(void **state)
{
	(void)state;
	silent("T1|w(x)|a\n"
	       "T2|alloc(x)|\n"
	       "T2|w(x)|b\n");
	silent("T1|r(x)|a\n"
	       "T2|r(x)|b\n" /* inflated */
	       "T3|alloc(x)|\n"
	       "T3|w(x)|c\n");
	race("T1|w(x)|a\n"
	     "T2|alloc(x)|\n"
	     "T2|w(x)|b\n"
	     "T1|w(x)|c\n",
	     2, true, 3, true);
}

/* ---- many threads ---- */

static void feed(struct scene *s, uint32_t thread, enum dh_op op, uint32_t target,
		 uint32_t site)
{
	struct dh_event ev = {.index = s->index++, .thread = thread, .op = (uint8_t)op};
	ev.target = target;
	ev.site = site;
	dh_stream_feed(s->stream, &ev);
}

/* A thousand threads, one after the other, need two slots; and a slot that has had
 * many owners hides no race. */
static void slots_are_reused(void **state)
{
	(void)state;
	enum { THREADS = 1000, X = 0, Y = 1, LAST = THREADS + 1 };
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	for (uint32_t child = 1; child <= THREADS; child++) {
		feed(&s, 0, DH_FORK, child, 1);
		feed(&s, child, DH_READ, X, 2);
		feed(&s, child, DH_WRITE, X, 3);
		feed(&s, 0, DH_JOIN, child, 4);
	}
	assert_int_equal(s.race_count, 0);
	assert_int_equal(s.stream->order.slot_last.len, 2);
	assert_int_equal(s.stream->order.slots_reused, THREADS - 1);
	feed(&s, 0, DH_FORK, LAST, 5);
	feed(&s, LAST, DH_WRITE, Y, 6);
	feed(&s, 0, DH_WRITE, X, 7); /* ordered after all former owners */
	assert_int_equal(s.race_count, 0);
	feed(&s, 0, DH_WRITE, Y, 8); /* and not after the present one */
	assert_int_equal(s.race_count, 1);
	assert_int_equal(s.races[0].first.thread, LAST);
	assert_int_equal(s.stream->order.slot_last.len, 2);
	scene_close(&s);
}

/* The readers of a variable: a hundred, of which main has joined those before
 * `joined`, then a write of main's. Returns how many readers it races with. */
static unsigned write_after_readers(int joined)
{
	enum { READERS = 100 };
	struct scene s;
	char line[64];
	scene_open(&s, &dh_engine_fasttrack, NULL);
	for (int i = 0; i < READERS; i++) {
		snprintf(line, sizeof line, "T0|fork(R%d)|\nR%d|r(x)|site%d\n", i, i, i);
		scene_play(&s, line);
	}
	assert_int_equal(scene_counter(&s, "read_share"), 1);
	assert_int_equal(scene_counter(&s, "read_shared"), READERS - 2);
	for (int i = 0; i < joined; i++) {
		snprintf(line, sizeof line, "T0|join(R%d)|\n", i);
		scene_play(&s, line);
	}
	scene_play(&s, "T0|w(x)|end\n");
	for (unsigned i = 0; i < s.race_count; i++) {
		assert_int_equal(s.races[i].first_write, false);
		assert_int_equal(s.races[i].second_write, true);
		assert_true(s.races[i].first.index > 2 * (uint64_t)joined);
	}
	unsigned count = s.race_count;
	scene_close(&s);
	return count;
}

static void hundred_readers(void **state)
{
	(void)state;
	assert_int_equal(write_after_readers(100), 0);
	assert_int_equal(write_after_readers(99), 1);
	assert_int_equal(write_after_readers(50), 50);
	assert_int_equal(write_after_readers(0), 100);
}

/* A thread whose clock is full goes on in a new slot and still knows its own past. */
static void full_clock_goes_on(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_fasttrack, NULL);
	s.stream->order.config.clock_max = 3;
	for (int i = 0; i < 10; i++)
		scene_play(&s, "T1|w(x)|a\nT1|r(x)|b\nT1|snd(m)|\n");
	assert_true(s.stream->order.slots_renewed > 0);
	assert_int_equal(s.race_count, 0);
	scene_play(&s, "T2|rcv(m)|\nT2|w(x)|c\n");
	assert_int_equal(s.race_count, 0);
	scene_play(&s, "T1|r(x)|d\n");
	assert_int_equal(s.race_count, 1);
	assert_true(scene_has(&s, "x", 31, 32));
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(read_rules),
	    cmocka_unit_test(write_rules),
	    cmocka_unit_test(write_shared_resets_readers),
	    cmocka_unit_test(race_write_write),
	    cmocka_unit_test(race_write_read),
	    cmocka_unit_test(race_read_write),
	    cmocka_unit_test(race_names_last_read),
	    cmocka_unit_test(race_with_both_kinds),
	    cmocka_unit_test(race_with_shared_readers),
	    cmocka_unit_test(race_write_shared_read),
	    cmocka_unit_test(races_after_the_first),
	    cmocka_unit_test(races_by_variable),
	    cmocka_unit_test(volatile_is_a_fence),
	    cmocka_unit_test(fork_and_join_order),
	    cmocka_unit_test(locks_order),
	    cmocka_unit_test(read_mode_orders_with_writers),
	    cmocka_unit_test(barrier_orders_its_episode),
	    cmocka_unit_test(alloc_starts_over),
	    cmocka_unit_test(slots_are_reused),
	    cmocka_unit_test(hundred_readers),
	    cmocka_unit_test(full_clock_goes_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
