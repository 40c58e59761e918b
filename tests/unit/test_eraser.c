/* SPDX-License-Identifier: MIT */
/*
 * Eraser, every arrow of its state machine and where it reports; and the three
 * engines that detect nothing: null, count, print.
 */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_eraser;
extern const struct dh_engine_ops dh_engine_null, dh_engine_count, dh_engine_print;

/* ---- states ---- */

static const char *const states[] = {"virgin", "exclusive", "shared", "shared_modified"};

/* The state that the next access of x finds: the one whose counter it raises. */
static const char *state_found(struct scene *s)
{
	uint64_t before[DH_ARRAY_LEN(states)];
	for (size_t i = 0; i < DH_ARRAY_LEN(states); i++)
		before[i] = scene_counter(s, states[i]);
	scene_play(s, "T1|r(x)|probe\n");
	const char *found = NULL;
	for (size_t i = 0; i < DH_ARRAY_LEN(states); i++) {
		if (scene_counter(s, states[i]) == before[i])
			continue;
		assert_null(found);
		assert_int_equal(scene_counter(s, states[i]), before[i] + 1);
		found = states[i];
	}
	assert_non_null(found);
	return found;
}

struct arrow {
	const char *name;
	const char *way; /* to the state before the step */
	const char *before;
	const char *step;
	const char *after;
};

/* clang-format off */
#define WITH(t, l, what) t "|acq(" l ")|\n" what t "|rel(" l ")|\n"

static const struct arrow arrows[] = {
	{"virgin: read", "", "virgin", "T1|r(x)|a\n", "exclusive"},
	{"virgin: write", "", "virgin", "T1|w(x)|a\n", "exclusive"},
	{"exclusive: read by owner", "T1|w(x)|a\n", "exclusive",
	 "T1|r(x)|b\n", "exclusive"},
	{"exclusive: write by owner", "T1|r(x)|a\n", "exclusive",
	 "T1|w(x)|b\n", "exclusive"},
	{"exclusive: read by new thread", "T1|w(x)|a\n", "exclusive",
	 "T2|r(x)|b\n", "shared"},
	{"exclusive: locked write by new thread", "T1|w(x)|a\n", "exclusive",
	 WITH("T2", "l", "T2|w(x)|b\n"), "shared_modified"},
	{"exclusive: bare write by new thread", "T1|w(x)|a\n", "exclusive",
	 "T2|w(x)|b\n", "shared_modified"},
	{"shared: read", "T1|w(x)|a\nT2|r(x)|b\n", "shared", "T3|r(x)|c\n", "shared"},
	{"shared: write", "T1|w(x)|a\nT2|r(x)|b\n", "shared",
	 "T1|w(x)|c\n", "shared_modified"},
	{"shared_modified: read", "T1|w(x)|a\nT2|w(x)|b\n", "shared_modified",
	 "T3|r(x)|c\n", "shared_modified"},
	{"shared_modified: write", "T1|w(x)|a\nT2|w(x)|b\n", "shared_modified",
	 "T1|w(x)|c\n", "shared_modified"},
	{"exclusive: alloc", "T1|w(x)|a\n", "exclusive", "T2|alloc(x)|\n", "virgin"},
	{"shared: alloc", "T1|w(x)|a\nT2|r(x)|b\n", "shared",
	 "T2|alloc(x)|\n", "virgin"},
	{"shared_modified: alloc", "T1|w(x)|a\nT2|w(x)|b\n", "shared_modified",
	 "T2|alloc(x)|\n", "virgin"},
};
/* clang-format on */

/* Twice: looking at the state before takes an access, which may change it. */
static void follow(void **state)
{
	const struct arrow *a = *state;
	struct scene s;
	scene_open(&s, &dh_engine_eraser, NULL);
	scene_play(&s, a->way);
	assert_string_equal(state_found(&s), a->before);
	scene_close(&s);
	scene_open(&s, &dh_engine_eraser, NULL);
	scene_play(&s, a->way);
	scene_play(&s, a->step);
	assert_string_equal(state_found(&s), a->after);
	scene_close(&s);
}

/* ---- reports ---- */

/* x must get its only report for this pair; second -1 is none. */
static void reports(int first, int second, const char *lines)
{
	struct scene s;
	scene_open(&s, &dh_engine_eraser, NULL);
	scene_play(&s, lines);
	assert_int_equal(s.race_count, second >= 0);
	if (second >= 0) {
		assert_true(scene_has(&s, "x", first, second));
		assert_int_equal(s.races[0].grade, DH_POTENTIAL);
	}
	scene_close(&s);
}

static void empty_set_is_reported_once(void **state)
{
	(void)state;
	reports(0, 1, "T1|w(x)|a\nT2|w(x)|b\nT1|w(x)|c\nT3|r(x)|d\n");
}

/* Shared is silent whatever C(v) is; the write that leaves it is what reports. */
static void shared_is_silent(void **state)
{
	(void)state;
	reports(-1, -1, "T1|w(x)|a\nT2|r(x)|b\nT3|r(x)|c\n");
	reports(2, 3, "T1|w(x)|a\nT2|r(x)|b\nT3|r(x)|c\nT1|w(x)|d\n");
}

/* C(v) is refined in Shared too: the locks of the reads count later. */
static void shared_refines(void **state)
{
	(void)state;
	reports(2, 5,
		"T1|w(x)|a\n" WITH("T2", "l", "T2|r(x)|b\n") /* C = {l} */
		WITH("T1", "m", "T1|w(x)|c\n"));	     /* C = {} */
	reports(-1, -1,
		"T1|w(x)|a\n" WITH("T2", "l", "T2|r(x)|b\n")
		    WITH("T1", "l", "T1|w(x)|c\n") WITH("T3", "l", "T3|w(x)|d\n"));
}

/* A read can be what empties the set. */
static void read_empties_the_set(void **state)
{
	(void)state;
	reports(2, 4, "T1|w(x)|a\n" WITH("T2", "l", "T2|w(x)|b\n") "T1|r(x)|c\n");
}

/* What the owner did in Exclusive is not held against it. */
static void initialisation_is_forgiven(void **state)
{
	(void)state;
	reports(-1, -1, "T1|w(x)|a\nT1|w(x)|b\n" WITH("T2", "l", "T2|w(x)|c\n"));
}

/* A read has all locks held, a write those in write mode. */
static void reader_writer_locks(void **state)
{
	(void)state;
	reports(-1, -1,
		"T1|w(x)|a\nT2|rdacq(l)|\nT2|r(x)|b\nT2|rdrel(l)|\n" WITH(
		    "T1", "l", "T1|w(x)|c\n") "T2|rdacq(l)|\nT2|r(x)|d\nT2|rdrel(l)|\n");
	reports(0, 2, "T1|w(x)|a\nT2|rdacq(l)|\nT2|w(x)|b\nT2|rdrel(l)|\n");
}

/* Order that is not a lock means nothing to it: known false alarms. */
static void other_order_is_not_seen(void **state)
{
	(void)state;
	reports(0, 2, "T1|w(x)|a\nT1|fork(T2)|\nT2|w(x)|b\n");
	reports(0, 5,
		"T1|w(x)|a\nT1|benter(b)|\nT2|benter(b)|\nT1|bleave(b)|\nT2|bleave(b)|\n"
		"T2|w(x)|b\n");
}

/* A fresh variable can be reported again. */
static void alloc_starts_over(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_eraser, NULL);
	scene_play(&s, "T1|w(x)|a\nT2|w(x)|b\nT2|alloc(x)|\nT2|w(x)|c\n");
	assert_int_equal(s.race_count, 1);
	scene_play(&s, "T1|w(x)|d\n");
	assert_int_equal(s.race_count, 2);
	assert_true(scene_has(&s, "x", 3, 4));
	scene_close(&s);
}

/* ---- null, count, print ---- */

/* One event of each operation. */
static const char every_op[] =
    "T1|r(x)|a\nT1|w(x)|b\nT1|acq(l)|\nT1|rel(l)|\n"
    "T1|rdacq(l)|\nT1|rdrel(l)|\nT1|fork(T2)|\nT1|join(T2)|\n"
    "T1|snd(m)|\nT1|rcv(m)|\nT1|benter(b)|\nT1|bleave(b)|\n"
    "T1|vr(v)|\nT1|vw(v)|\nT1|alloc(x)|\nT1|mb(f)|\nT1|me(f)|\n";

static void null_is_silent(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_null, NULL);
	scene_play(&s, every_op);
	scene_play(&s, "T3|w(x)|c\nT4|w(x)|d\n");
	assert_int_equal(s.race_count, 0);
	assert_int_equal(s.stream->needs, 0);
	assert_int_equal(s.stream->events, DH_OP_COUNT + 2);
	scene_close(&s);
}

static void count_counts(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_count, NULL);
	scene_play(&s, every_op);
	for (int op = 0; op < DH_OP_COUNT; op++)
		assert_int_equal(scene_counter(&s, dh_op_text(op)), 1);
	assert_int_equal(scene_counter(&s, "threads"), 2); /* T2 had no event */
	scene_play(&s, "T3|w(x)|c\nT3|w(y)|d\n");
	assert_int_equal(scene_counter(&s, "w"), 3);
	assert_int_equal(scene_counter(&s, "threads"), 3);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

struct printed {
	unsigned count;
	struct dh_event at[DH_OP_COUNT];
};

static void on_event(void *context, const struct dh_event *ev)
{
	struct printed *p = context;
	assert_true(p->count < DH_OP_COUNT);
	p->at[p->count++] = *ev;
}

static void print_shows_every_event(void **state)
{
	(void)state;
	struct printed p = {0};
	struct dh_stream *stream = dh_stream_new(
	    &(struct dh_stream_config){.on_event = on_event, .context = &p});
	dh_stream_add(stream, &dh_engine_print);
	for (uint32_t op = 0; op < DH_OP_COUNT; op++)
		dh_stream_feed(stream, &(struct dh_event){.index = op,
							  .thread = 3,
							  .target = op == DH_FORK ? 4 : 0,
							  .site = 10 + op,
							  .op = (uint8_t)op});
	assert_int_equal(p.count, DH_OP_COUNT);
	for (uint32_t op = 0; op < DH_OP_COUNT; op++) {
		assert_int_equal(p.at[op].op, op);
		assert_int_equal(p.at[op].index, op);
		assert_int_equal(p.at[op].thread, 3);
		assert_int_equal(p.at[op].target, op == DH_FORK ? 4 : 0);
		assert_int_equal(p.at[op].site, 10 + op);
	}
	dh_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest others[] = {
	    cmocka_unit_test(empty_set_is_reported_once),
	    cmocka_unit_test(shared_is_silent),
	    cmocka_unit_test(shared_refines),
	    cmocka_unit_test(read_empties_the_set),
	    cmocka_unit_test(initialisation_is_forgiven),
	    cmocka_unit_test(reader_writer_locks),
	    cmocka_unit_test(other_order_is_not_seen),
	    cmocka_unit_test(alloc_starts_over),
	    cmocka_unit_test(null_is_silent),
	    cmocka_unit_test(count_counts),
	    cmocka_unit_test(print_shows_every_event),
	};
	struct CMUnitTest tests[DH_ARRAY_LEN(arrows) + DH_ARRAY_LEN(others)];
	for (size_t i = 0; i < DH_ARRAY_LEN(arrows); i++)
		tests[i] = (struct CMUnitTest){.name = arrows[i].name,
					       .test_func = follow,
					       .initial_state = (void *)&arrows[i]};
	memcpy(tests + DH_ARRAY_LEN(arrows), others, sizeof others);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
