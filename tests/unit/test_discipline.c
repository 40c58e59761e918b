/* SPDX-License-Identifier: MIT */
/*
 * The state diagram of MultiRace's LockSet (Figure 6): every arrow is a test of its
 * own, with the state and C(v) before and after, played to `lockset` and to
 * `multirace`. Then readers_lock, reader-writer locks, and what a repeat within a
 * time frame may not do.
 */
#include "engines/discipline.h"
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_lockset, dh_engine_multirace;

static const struct dh_engine_ops *const engines[] = {
    &dh_engine_lockset,
    &dh_engine_multirace,
};

/* ---- looking into the cell ---- */

/* Cells of both engines begin with the discipline. */
static const struct dh_discipline *discipline_of(struct scene *s)
{
	struct dh_discipline *d = scene_cell(s, "x");
	struct dh_discipline_clock now = {scene_counter(s, "barrier_episodes"), 1};
	dh_discipline_settle(d, &now);
	return d;
}

static const char *state_text(const struct dh_discipline *d)
{
	static const char *const texts[DH_DISCIPLINE_STATES] = {
	    "Virgin", "Initializing", "Shared", "Empty", "Clean", "Exclusive",
	};
	return texts[d->state];
}

/* C(v) as text: its locks by name, `R` for readers_lock, `*` for all locks, `-` where
 * it is empty. */
static void candidates_text(struct scene *s, dh_lockset set, char text[64])
{
	uint32_t count;
	strcpy(text, set == DH_LOCKSET_ALL ? "*" : set == DH_LOCKSET_EMPTY ? "-" : "");
	if (text[0])
		return;
	const uint32_t *locks = dh_lockset_items(s->stream->locksets, set, &count);
	for (uint32_t i = 0; i < count; i++)
		strcat(text, locks[i] == DH_READERS_LOCK
				 ? "R"
				 : s->names[DH_NAME_LOCK][locks[i]]);
}

static void assert_state(struct scene *s, const char *state)
{
	assert_string_equal(state_text(discipline_of(s)), state);
}

static void assert_candidates(struct scene *s, const char *want)
{
	char text[64];
	candidates_text(s, discipline_of(s)->candidates, text);
	assert_string_equal(text, want);
}

/* ---- arrows ---- */

/* clang-format off */
#define BARRIER "T1|benter(b)|\nT2|benter(b)|\nT1|bleave(b)|\nT2|bleave(b)|\n"
#define R1      "T1|r(x)|r1\n"
#define W1      "T1|w(x)|w1\n"
#define R2      "T2|r(x)|r2\n"
#define W2      "T2|w(x)|w2\n"
#define WITH(t, l, what) t "|acq(" l ")|\n" what t "|rel(" l ")|\n"

/* Ways into each state, and what C(v) is there. */
#define INITIALIZING W1
#define SHARED       W1 WITH("T2", "L", W2)
#define EMPTY        W1 W2
#define CLEAN        W1 BARRIER
#define EXCLUSIVE    W1 BARRIER WITH("T1", "L", W1)
#define EXCLUSIVE_0  W1 BARRIER W1

struct arrow {
	const char *name;
	const char *way;    /* what leads to the state before; x is known even if empty */
	const char *before;
	const char *step;
	const char *after;
	const char *candidates; /* C(v) after the step, where it has a meaning */
	unsigned warnings;      /* in all */
};

static const struct arrow arrows[] = {
	{"virgin: write", "", "Virgin", W1, "Initializing", "*", 0},
	{"virgin: read", "", "Virgin", R1, "Initializing", "*", 0},
	{"virgin: barrier", "", "Virgin", BARRIER, "Virgin", NULL, 0},

	{"initializing: read by first thread", INITIALIZING, "Initializing",
	 R1, "Initializing", "*", 0},
	{"initializing: write by first thread", INITIALIZING, "Initializing",
	 WITH("T1", "L", W1), "Initializing", "*", 0},
	{"initializing: locked write by new thread", INITIALIZING, "Initializing",
	 WITH("T2", "L", W2), "Shared", "L", 0},
	{"initializing: locked read by new thread", INITIALIZING, "Initializing",
	 WITH("T2", "L", R2), "Shared", "LR", 0},
	{"initializing: bare read by new thread", INITIALIZING, "Initializing",
	 R2, "Shared", "R", 0},
	{"initializing: bare write by new thread", INITIALIZING, "Initializing",
	 W2, "Empty", "-", 1},
	{"initializing: barrier", INITIALIZING, "Initializing", BARRIER, "Clean", "*", 0},

	{"shared: write with the lock", SHARED, "Shared",
	 WITH("T1", "L", W1), "Shared", "L", 0},
	{"shared: write with it and another", SHARED, "Shared",
	 WITH("T1", "M", WITH("T1", "L", W1)), "Shared", "L", 0},
	{"shared: read with the lock", SHARED, "Shared",
	 WITH("T1", "L", R1), "Shared", "L", 0},
	{"shared: write with another lock", SHARED, "Shared",
	 WITH("T1", "M", W1), "Empty", "-", 1},
	{"shared: bare read", SHARED, "Shared", R1, "Empty", "-", 1},
	{"shared: bare write by the same thread", SHARED, "Shared", W2, "Empty", "-", 1},
	{"shared: barrier", SHARED, "Shared", BARRIER, "Clean", "*", 0},

	{"empty: read", EMPTY, "Empty", R1, "Empty", "-", 1},
	{"empty: write", EMPTY, "Empty", WITH("T1", "L", W1), "Empty", "-", 1},
	{"empty: barrier", EMPTY, "Empty", BARRIER, "Clean", "*", 1},

	{"clean: locked write", CLEAN, "Clean", WITH("T2", "L", W2), "Exclusive", "L", 0},
	{"clean: bare write", CLEAN, "Clean", W1, "Exclusive", "-", 0},
	{"clean: bare read", CLEAN, "Clean", R1, "Exclusive", "R", 0},
	{"clean: barrier", CLEAN, "Clean", BARRIER, "Clean", "*", 0},

	{"exclusive: same thread with the lock", EXCLUSIVE, "Exclusive",
	 WITH("T1", "L", R1), "Exclusive", "L", 0},
	{"exclusive: same thread empties C silently", EXCLUSIVE, "Exclusive",
	 WITH("T1", "M", W1), "Exclusive", "-", 0},
	{"exclusive: new thread with the lock", EXCLUSIVE, "Exclusive",
	 WITH("T2", "L", W2), "Shared", "L", 0},
	{"exclusive: new thread with another lock", EXCLUSIVE, "Exclusive",
	 WITH("T2", "M", W2), "Empty", "-", 1},
	{"exclusive: new thread finds C empty", EXCLUSIVE_0, "Exclusive",
	 WITH("T2", "L", R2), "Empty", "-", 1},
	{"exclusive: barrier", EXCLUSIVE, "Exclusive", BARRIER, "Clean", "*", 0},

	{"initializing: alloc", INITIALIZING, "Initializing", "T2|alloc(x)|\n",
	 "Virgin", NULL, 0},
	{"shared: alloc", SHARED, "Shared", "T2|alloc(x)|\n", "Virgin", NULL, 0},
	{"empty: alloc", EMPTY, "Empty", "T2|alloc(x)|\n", "Virgin", NULL, 1},
	{"clean: alloc", CLEAN, "Clean", "T2|alloc(x)|\n", "Virgin", NULL, 0},
	{"exclusive: alloc", EXCLUSIVE, "Exclusive", "T2|alloc(x)|\n", "Virgin", NULL, 0},
};
/* clang-format on */

static void follow(void **state)
{
	const struct arrow *a = *state;
	for (size_t i = 0; i < DH_ARRAY_LEN(engines); i++) {
		struct scene s;
		scene_open(&s, engines[i], NULL);
		scene_play(&s, "T1|alloc(x)|\n");
		scene_play(&s, a->way);
		assert_state(&s, a->before);
		scene_play(&s, a->step);
		assert_state(&s, a->after);
		if (a->candidates)
			assert_candidates(&s, a->candidates);
		assert_int_equal(scene_counter(&s, "warnings"), a->warnings);
		scene_close(&s);
	}
}

/* ---- verdicts ---- */

/* Plays the lines, each with a site of its own, so that no report is a repeat. */
static void play_apart(struct scene *s, const char *lines)
{
	for (; *lines; lines = strchr(lines, '\n') + 1) {
		char line[64];
		int upto = (int)(strchr(strchr(lines, '|') + 1, '|') - lines);
		snprintf(line, sizeof line, "%.*s|%u\n", upto, lines, (unsigned)s->index);
		scene_play(s, line);
	}
}

/* Plays to both engines; x must get its only warning at this event, -1 for none. */
static void warns_at(int second, const char *lines)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(engines); i++) {
		struct scene s;
		scene_open(&s, engines[i], NULL);
		play_apart(&s, lines);
		assert_int_equal(scene_counter(&s, "warnings"), second >= 0);
		if (second >= 0)
			assert_true(scene_has(&s, "x", -1, second));
		scene_close(&s);
	}
}

/* Empty is warned about the first time only, also when a barrier lies between; an
 * alloc makes another variable of it. */
static void warned_once(void **state)
{
	(void)state;
	warns_at(1, EMPTY BARRIER EMPTY);
	for (size_t i = 0; i < DH_ARRAY_LEN(engines); i++) {
		struct scene s;
		scene_open(&s, engines[i], NULL);
		scene_play(&s, EMPTY "T1|alloc(x)|\n" EMPTY);
		assert_int_equal(scene_counter(&s, "warnings"), 2);
		scene_close(&s);
	}
}

/* readers_lock: reads need no lock among themselves, and the first write after the
 * initialisation takes it away for good. */
static void readers_lock(void **state)
{
	(void)state;
	warns_at(-1, R1 R2 "T3|r(x)|\n" R1);
	warns_at(-1, W1 R2 "T3|r(x)|\n" R1);
	warns_at(3, W1 R2 "T3|r(x)|\n" W1);
	warns_at(3, R1 R2 "T3|acq(L)|\n"
			  "T3|w(x)|\n" /* its lock is none of the readers' */
			  "T3|rel(L)|\n");
	warns_at(-1, W1 WITH("T2", "L", R2) WITH("T1", "L", W1) WITH("T2", "L", R2));
	warns_at(7, W1 WITH("T2", "L", R2) WITH("T1", "L", W1) R2);
}

/* A write before the first sharing is the initialisation: forgiven. */
static void initialisation_is_forgiven(void **state)
{
	(void)state;
	warns_at(-1, W1 W1 WITH("T2", "L", W2) WITH("T1", "L", W1));
	warns_at(-1, R1 WITH("T2", "L", W2) WITH("T1", "L", R1));
}

/* A location that is read first does not forget its reader: in the figure only a
 * write leaves Virgin, and T2 would be the initialising thread. */
static void first_read_counts(void **state)
{
	(void)state;
	warns_at(1, R1 W2);
}

/* A read is protected by its locks in any mode, a write by those in write mode. */
static void reader_writer_locks(void **state)
{
	(void)state;
	warns_at(-1, W1 "T2|rdacq(L)|\n" R2 "T2|rdrel(L)|\n" WITH(
			 "T1", "L", W1) "T2|rdacq(L)|\n" R2 "T2|rdrel(L)|\n");
	warns_at(2, W1 "T2|rdacq(L)|\n" W2 "T2|rdrel(L)|\n");
	/* The end of read mode starts a time frame: the second read is no repeat. */
	warns_at(6, W1 "T2|rdacq(L)|\n" R2 "T2|rdrel(L)|\n" R2 WITH("T1", "L", W1));
	/* Held in both modes, then in read mode only. */
	warns_at(-1, W1 "T2|rdacq(L)|\nT2|acq(L)|\n" W2 "T2|rel(L)|\nT2|rdrel(L)|\n");
	warns_at(5,
		 W1 "T2|acq(L)|\nT2|rdacq(L)|\n" W2 "T2|rel(L)|\n" W2 "T2|rdrel(L)|\n");
	warns_at(-1,
		 W1 "T2|acq(L)|\nT2|rdacq(L)|\n" W2 "T2|rel(L)|\n" R2 "T2|rdrel(L)|\n");
}

/* ---- repeats within a time frame (section 4.2) ---- */

/* Figure 5: the second write is in the time frame of the first, and holds at least
 * the same locks, so it refines nothing. */
static void figure5(void **state)
{
	(void)state;
#define PART_A(t)                                                                        \
	WITH(t, "K", "")                                                                 \
	t "|acq(L)|\n" t "|acq(M)|\n" t "|w(x)|\n" t "|w(x)|\n" t "|rel(M)|\n" t         \
	  "|rel(L)|\n"
#define PART_B(t)                                                                        \
	WITH(t, "K", "")                                                                 \
	t "|acq(L)|\n" t "|w(x)|\n" t "|acq(M)|\n" t "|w(x)|\n" t "|rel(M)|\n" t         \
	  "|rel(L)|\n"
	for (size_t i = 0; i < DH_ARRAY_LEN(engines); i++) {
		struct scene s;
		scene_open(&s, engines[i], NULL);
		scene_play(&s, PART_A("T1") PART_A("T2") PART_A("T1"));
		assert_state(&s, "Shared");
		assert_candidates(&s, "LM");
		scene_close(&s);
		scene_open(&s, engines[i], NULL);
		scene_play(&s, PART_B("T1") PART_B("T2") PART_B("T1"));
		assert_state(&s, "Shared");
		assert_candidates(&s, "L");
		assert_int_equal(s.race_count, 0);
		scene_close(&s);
	}
}

/* A write after a read of the same time frame is no repeat of it. */
static void write_after_read_refines(void **state)
{
	(void)state;
	warns_at(2, W1 R2 W2);
}

/* What the paper overlooks: the first access of a time frame may have been in
 * Initializing, where it refined nothing. The second one then has to. */
static void repeat_after_initializing(void **state)
{
	(void)state;
	warns_at(4, W1 WITH("T2", "L", W2) W1);
	warns_at(4, W1 WITH("T2", "L", W2) R1);
}

/* The same across a barrier that a thread took no part in: T3's time frame goes on,
 * but its refinement of C(x) was undone. */
static void repeat_after_foreign_barrier(void **state)
{
	(void)state;
	warns_at(10, W1 "T3|acq(L)|\nT3|w(x)|\n" /* 0 to 2 */
		 BARRIER WITH("T1", "M", W1)	 /* 3 to 9 */
		 "T3|w(x)|\nT3|rel(L)|\n");
}

/* An episode is over once, with its first leave: what is accessed before the second
 * counts after it. */
static void second_leave_changes_nothing(void **state)
{
	(void)state;
	warns_at(6, W1 "T1|benter(b)|\nT2|benter(b)|\nT1|bleave(b)|\n" W1
		       "T2|bleave(b)|\n" W2);
}

/* ---- late accesses ---- */

/* Accesses whose time frame is not known are no repeats of each other. */
static void unknown_frames_are_no_repeats(void **state)
{
	(void)state;
	struct dh_lockset_table *table = dh_lockset_table_new();
	struct dh_discipline d = {0};
	struct dh_thread first = {.party.id = 1}, second = {.party.id = 2};
	struct dh_access bare = {.write = true}, locked = {.write = true};
	struct dh_discipline_clock unknown = {0, 0};
	locked.locks = dh_lockset_add(table, DH_LOCKSET_EMPTY, 7);
	assert_false(dh_discipline_access(&d, table, &first, &bare, &unknown));
	assert_false(dh_discipline_access(&d, table, &second, &locked, &unknown));
	assert_int_equal(d.state, DH_SHARED);
	assert_true(dh_discipline_access(&d, table, &second, &bare, &unknown));
	assert_int_equal(d.state, DH_EMPTY);
	dh_lockset_table_free(table);
}

/* A filter that holds T2's first access back until T2 sends a message. */
struct late {
	struct dh_filter filter;
	struct dh_access kept;
	struct dh_thread *whose;
	bool done;
};

static bool late_access(struct dh_filter *f, struct dh_thread *t,
			const struct dh_access *a)
{
	struct late *l = (struct late *)f;
	if (l->done || t->party.id != 1)
		return true;
	l->kept = *a;
	l->whose = t;
	return !(l->done = true);
}

static void late_before(struct dh_filter *f, struct dh_thread *t,
			const struct dh_event *ev)
{
	(void)t;
	struct late *l = (struct late *)f;
	if (ev->op == DH_SEND)
		dh_stream_forward(f->stream, l->whose, &l->kept);
}

static const struct dh_filter_ops late = {
    .name = "late",
    .size = sizeof(struct late),
    .access = late_access,
    .before = late_before,
};

/* The access under L comes after the unlock. It must not make the bare one that
 * follows look like a repeat of it in the new time frame. */
static void late_access_is_no_repeat(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_lockset, &late);
	scene_play(&s, W1 WITH("T2", "L", W2) "T2|snd(m)|\n");
	assert_state(&s, "Shared");
	assert_candidates(&s, "L");
	scene_play(&s, W2);
	assert_state(&s, "Empty");
	assert_true(scene_has(&s, "x", 0, 5));
	scene_close(&s);
	/* multirace judges by order too, and so is not to get such an access. */
	assert_true(dh_engine_multirace.lock_order);
}

/* ---- counters ---- */

static void states_are_counted(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_lockset, NULL);
	scene_play(&s, W1 W1 R2 R1 W2 W1 W2 BARRIER W1 W1 W2 "T1|alloc(x)|\n" R1);
	assert_int_equal(scene_counter(&s, "virgin"), 2);
	assert_int_equal(scene_counter(&s, "initializing"), 2);
	assert_int_equal(scene_counter(&s, "shared"), 2);
	assert_int_equal(scene_counter(&s, "empty"), 2);
	assert_int_equal(scene_counter(&s, "clean"), 1);
	assert_int_equal(scene_counter(&s, "exclusive"), 2);
	assert_int_equal(scene_counter(&s, "barrier_episodes"), 1);
	assert_int_equal(scene_counter(&s, "warnings"), 1);
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest others[] = {
	    cmocka_unit_test(warned_once),
	    cmocka_unit_test(readers_lock),
	    cmocka_unit_test(initialisation_is_forgiven),
	    cmocka_unit_test(first_read_counts),
	    cmocka_unit_test(reader_writer_locks),
	    cmocka_unit_test(figure5),
	    cmocka_unit_test(write_after_read_refines),
	    cmocka_unit_test(repeat_after_initializing),
	    cmocka_unit_test(repeat_after_foreign_barrier),
	    cmocka_unit_test(second_leave_changes_nothing),
	    cmocka_unit_test(unknown_frames_are_no_repeats),
	    cmocka_unit_test(late_access_is_no_repeat),
	    cmocka_unit_test(states_are_counted),
	};
	struct CMUnitTest tests[DH_ARRAY_LEN(arrows) + DH_ARRAY_LEN(others)];
	for (size_t i = 0; i < DH_ARRAY_LEN(arrows); i++)
		tests[i] = (struct CMUnitTest){.name = arrows[i].name,
					       .test_func = follow,
					       .initial_state = (void *)&arrows[i]};
	memcpy(tests + DH_ARRAY_LEN(arrows), others, sizeof others);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
