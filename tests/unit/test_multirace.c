/* SPDX-License-Identifier: MIT */
/*
 * DJIT+, LockSet and MultiRace: the figures of the paper as scenes, with the verdict
 * of each of the three; which accesses DJIT+ logs and checks; how MultiRace grades
 * a warning, and when it may skip a check. (The state diagram: test_discipline.c.)
 */
#include "scene.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

extern const struct dh_engine_ops dh_engine_djit, dh_engine_lockset, dh_engine_multirace;

/* ---- verdicts as text ---- */

/* All reports in their order: `x 0-1 observed`, with `?` for an unknown first and
 * `+N` for a known distance; "; " between them. */
static void verdict_text(const struct scene *s, char *text, size_t size)
{
	size_t at = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < s->race_count; i++) {
		const struct dh_race *r = &s->races[i];
		char first[24] = "?", distance[24] = "";
		if (r->has_first)
			snprintf(first, sizeof first, "%u", (unsigned)r->first.index);
		if (r->has_distance)
			snprintf(distance, sizeof distance, " +%u", r->distance);
		at += (size_t)snprintf(text + at, size - at, "%s%s %s-%u %s%s",
				       i ? "; " : "", s->names[DH_NAME_VAR][r->var],
				       first, (unsigned)r->second.index,
				       dh_grade_text(r->grade), distance);
		assert_true(at < size);
	}
}

static void verdict(const struct dh_engine_ops *engine, const char *lines,
		    const char *want)
{
	char text[512];
	struct scene s;
	scene_open(&s, engine, NULL);
	scene_play(&s, lines);
	verdict_text(&s, text, sizeof text);
	scene_close(&s);
	assert_string_equal(text, want);
}

static void verdicts(const char *lines, const char *djit, const char *lockset,
		     const char *multirace)
{
	verdict(&dh_engine_djit, lines, djit);
	verdict(&dh_engine_lockset, lines, lockset);
	verdict(&dh_engine_multirace, lines, multirace);
}

/* ---- figures ---- */

/* Only Y races. LockSet has it the other way round: X loses its lock, and the first
 * write of Y passes for its initialisation. With C(Y) = {L} the paper's MultiRace
 * would skip the check that finds the race. */
static void figure1(void **state)
{
	(void)state;
	verdicts("T1|acq(L)|\n"
		 "T1|w(X)|a\n" /* 1 */
		 "T1|rel(L)|\n"
		 "T1|w(Y)|b\n" /* 3 */
		 "T2|acq(L)|\n"
		 "T2|w(Y)|c\n" /* 5 */
		 "T2|rel(L)|\n"
		 "T2|w(X)|d\n", /* 7 */
		 "Y 3-5 observed", "X 1-7 potential",
		 "Y 3-5 observed; X 1-7 potential +1");
}

/* The race is with the write before the acquire; the one after it is ordered, and
 * besides a repeat. Releases and acquires of tokens are messages here. */
static void figure2(void **state)
{
	(void)state;
	verdicts("T1|snd(L1)|\n"
		 "T1|w(X)|a\n" /* 1 */
		 "T1|snd(L2)|\n"
		 "T2|snd(L3)|\n"
		 "T2|w(X)|b\n" /* 4 */
		 "T2|rcv(L2)|\n"
		 "T2|w(X)|c\n",
		 "X 1-4 observed", "X 1-4 potential", "X 1-4 observed +0");
}

/* The same with locks: T1 holds L2 at its write, T2 nothing and then L2. */
static void figure2_with_locks(void **state)
{
	(void)state;
	verdicts("T1|acq(L1)|\n"
		 "T1|acq(L2)|\n"
		 "T1|rel(L1)|\n"
		 "T1|w(X)|a\n" /* 3 */
		 "T2|acq(L3)|\n"
		 "T2|rel(L3)|\n"
		 "T2|w(X)|b\n" /* 6 */
		 "T1|rel(L2)|\n"
		 "T2|acq(L2)|\n"
		 "T2|w(X)|c\n"
		 "T2|rel(L2)|\n",
		 "X 3-6 observed", "X 3-6 potential", "X 3-6 observed +0");
}

/* (a) the same locks at both writes, (b) one more at the second. In each of the two
 * threads only the first write is logged, and all is well. */
static void figure5(void **state)
{
	(void)state;
	static const char part_a[] = "T|acq(L)|\nT|rel(L)|\nT|acq(L1)|\nT|acq(L2)|\n"
				     "T|w(X)|a\nT|w(X)|b\nT|rel(L2)|\nT|rel(L1)|\n";
	static const char part_b[] = "T|acq(L)|\nT|rel(L)|\nT|acq(L1)|\nT|w(X)|a\n"
				     "T|acq(L2)|\nT|w(X)|b\nT|rel(L2)|\nT|rel(L1)|\n";
	const char *const parts[] = {part_a, part_b};
	for (size_t i = 0; i < DH_ARRAY_LEN(parts); i++) {
		char both[2 * sizeof part_a] = "";
		struct scene s;
		strcat(strcat(both, parts[i]), parts[i]);
		for (char *c = both + strlen(parts[i]); (c = strchr(c, 'T')); c++)
			*c = 'U';
		verdicts(both, "", "", "");
		scene_open(&s, &dh_engine_djit, NULL);
		scene_play(&s, both);
		assert_int_equal(scene_counter(&s, "first_writes"), 2);
		assert_int_equal(scene_counter(&s, "repeats"), 2);
		scene_close(&s);
	}
}

/* The flag F orders the writes of X. LockSet cannot know; DJIT+ can, and so the
 * warning gets a distance. */
static void figure7(void **state)
{
	(void)state;
	verdicts("T0|w(F)|init\n"
		 "T0|fork(T1)|\n"
		 "T0|fork(T2)|\n"
		 "T2|acq(L)|\n"
		 "T2|r(F)|loop\n" /* not yet */
		 "T2|w(T)|loop\n"
		 "T2|rel(L)|\n"
		 "T2|r(T)|test\n"
		 "T1|w(X)|a\n" /* 8 */
		 "T1|acq(L)|\n"
		 "T1|w(F)|raise\n"
		 "T1|rel(L)|\n"
		 "T2|acq(L)|\n"
		 "T2|r(F)|loop\n"
		 "T2|w(T)|loop\n"
		 "T2|rel(L)|\n"
		 "T2|r(T)|test\n"
		 "T2|w(X)|b\n", /* 17 */
		 "", "X 8-17 potential", "X 8-17 potential +1");
}

/* The order of the two sections is luck: another schedule has the race on Y. */
static void figure8(void **state)
{
	(void)state;
	verdicts("T1|w(Y)|a\n" /* 0 */
		 "T1|acq(L)|\n"
		 "T1|w(X)|b\n"
		 "T1|rel(L)|\n"
		 "T2|acq(L)|\n"
		 "T2|w(X)|c\n"
		 "T2|rel(L)|\n"
		 "T2|w(Y)|d\n", /* 7 */
		 "", "Y 0-7 potential", "Y 0-7 potential +1");
	verdicts("T2|acq(L)|\n"
		 "T2|w(X)|c\n"
		 "T2|rel(L)|\n"
		 "T2|w(Y)|d\n" /* 3 */
		 "T1|w(Y)|a\n" /* 4 */
		 "T1|acq(L)|\n"
		 "T1|w(X)|b\n"
		 "T1|rel(L)|\n",
		 "Y 3-4 observed", "Y 3-4 potential", "Y 3-4 observed +0");
}

/* ---- DJIT+ ---- */

/* Section 3.2.1: the first read and the first write of a time frame are logged, and
 * no read after its write. An acquire starts no time frame, a release does. */
static void djit_logs_first_accesses(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_djit, NULL);
	scene_play(&s, "T1|r(x)|\n"
		       "T1|r(x)|\n" /* repeat */
		       "T1|w(x)|\n"
		       "T1|w(x)|\n" /* repeat */
		       "T1|r(x)|\n" /* repeat */
		       "T1|acq(l)|\n"
		       "T1|w(x)|\n" /* repeat */
		       "T1|rel(l)|\n"
		       "T1|w(x)|\n"
		       "T1|r(x)|\n" /* repeat */
		       "T1|fork(T2)|\n"
		       "T1|r(x)|\n"
		       "T2|r(y)|\n"
		       "T1|r(y)|\n");
	assert_int_equal(scene_counter(&s, "first_reads"), 4);
	assert_int_equal(scene_counter(&s, "first_writes"), 2);
	assert_int_equal(scene_counter(&s, "repeats"), 5);
	assert_int_equal(scene_counter(&s, "entries_checked"), 4 + 1 + 2);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* Section 3.2.2: the last access of each other thread is the one to check, and the
 * one that is named. */
static void djit_checks_latest(void **state)
{
	(void)state;
	verdict(&dh_engine_djit,
		"T1|w(x)|a\n"
		"T1|snd(m)|\n"
		"T1|w(x)|b\n" /* 2 */
		"T1|snd(n)|\n"
		"T3|r(x)|c\n" /* 4, races too */
		"T2|rcv(m)|\n"
		"T2|w(x)|d\n", /* 6 */
		"x 2-4 observed; x 2-6 observed; x 4-6 observed");
	verdict(&dh_engine_djit,
		"T1|w(x)|a\n"
		"T1|snd(m)|\n"
		"T2|rcv(m)|\n"
		"T2|w(x)|b\n",
		"");
}

/* Reads do not race with reads; a write does with either kind of one thread. */
static void djit_kinds(void **state)
{
	(void)state;
	verdict(&dh_engine_djit, "T1|r(x)|a\nT2|r(x)|b\n", "");
	verdict(&dh_engine_djit, "T1|r(x)|a\nT2|w(x)|b\n", "x 0-1 observed");
	verdict(&dh_engine_djit, "T1|w(x)|a\nT2|r(x)|b\n", "x 0-1 observed");
	verdict(&dh_engine_djit, "T1|r(x)|a\nT1|w(x)|b\nT2|w(x)|c\n",
		"x 1-2 observed; x 0-2 observed");
}

/* Every kind of synchronisation orders. */
static void djit_order(void **state)
{
	(void)state;
	static const char *const edges[] = {
	    "T1|snd(m)|\nT2|rcv(m)|\n",
	    "T1|vw(v)|\nT2|vr(v)|\n",
	    "T1|acq(l)|\nT1|rel(l)|\nT2|acq(l)|\nT2|rel(l)|\n",
	    "T1|rdacq(l)|\nT1|rdrel(l)|\nT2|acq(l)|\nT2|rel(l)|\n",
	    "T1|benter(b)|\nT2|benter(b)|\nT2|bleave(b)|\n",
	    "T2|join(T1)|\n",
	    "T1|fork(T2)|\n",
	    "T2|alloc(x)|\n",
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(edges); i++) {
		char lines[128];
		snprintf(lines, sizeof lines, "T1|w(x)|a\n%sT2|w(x)|b\n", edges[i]);
		verdict(&dh_engine_djit, lines, "");
	}
	verdict(&dh_engine_djit,
		"T1|w(x)|a\n"
		"T1|rdacq(l)|\n"
		"T1|rdrel(l)|\n"
		"T2|rdacq(l)|\n" /* read mode after read mode: no order */
		"T2|w(x)|b\n"
		"T2|rdrel(l)|\n",
		"x 0-4 observed");
}

/* A history has one entry for all owners of a slot. */
static void djit_slot_reuse(void **state)
{
	(void)state;
	struct scene s;
	char line[96];
	scene_open(&s, &dh_engine_djit, NULL);
	for (int i = 0; i < 200; i++) {
		snprintf(line, sizeof line, "T0|fork(C%d)|\nC%d|w(x)|a\nT0|join(C%d)|\n",
			 i, i, i);
		scene_play(&s, line);
	}
	assert_int_equal(scene_counter(&s, "entries_checked"), 200);
	assert_int_equal(s.race_count, 0);
	scene_close(&s);
}

/* ---- grades ---- */

/* The distance is how many time frames of the first access's thread are known to be
 * over; extensive synchronisation between the two makes it large (section 5). */
static void distance_counts_frames(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T1|w(x)|a\n"
		"T1|snd(m)|\n"
		"T1|snd(m)|\n"
		"T1|snd(m)|\n"
		"T2|rcv(m)|\n"
		"T2|w(x)|b\n",
		"x 0-5 potential +3");
}

/* An unordered rival is named before a later ordered one, and makes it observed. */
static void unordered_rival_first(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T1|r(x)|a\n" /* unordered with T3 */
		"T2|r(x)|b\n"
		"T2|snd(m)|\n"
		"T3|rcv(m)|\n"
		"T3|w(x)|c\n",
		"x 0-4 observed +0");
}

/* Among equals it is the most recent one. */
static void latest_rival(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T1|r(x)|a\n"
		"T2|r(x)|b\n"
		"T1|snd(m)|\n"
		"T2|snd(m)|\n"
		"T3|rcv(m)|\n"
		"T3|w(x)|c\n",
		"x 1-5 potential +1");
	verdict(&dh_engine_multirace,
		"T1|r(x)|a\n"
		"T2|r(x)|b\n"
		"T3|w(x)|c\n", /* the warning first, then the rest of the check */
		"x 1-2 observed +0; x 0-2 observed");
}

/* A rival that ended and left its slot to the accessing thread is still known. The
 * present time frame of the slot counts into the distance here. */
static void rival_in_the_same_slot(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T0|fork(T1)|\n"
		"T1|w(x)|a\n" /* 1 */
		"T0|join(T1)|\n"
		"T0|fork(T2)|\n"
		"T2|w(x)|b\n", /* 4 */
		"x 1-4 potential +2");
}

/* C(x) was emptied by the only thread that wrote: there is no one to name. */
static void warning_without_rival(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T1|r(x)|a\n"
		"T1|snd(m)|\n"
		"T2|rcv(m)|\n"
		"T2|acq(l)|\n"
		"T2|w(x)|b\n"
		"T2|rel(l)|\n"
		"T2|r(x)|c\n",
		"x ?-6 potential");
}

/* A pair of sites that was potential is told again when it did race. */
static void observed_after_potential(void **state)
{
	(void)state;
	verdict(&dh_engine_multirace,
		"T1|w(x)|a\n"
		"T1|snd(m)|\n"
		"T2|rcv(m)|\n"
		"T2|w(x)|b\n" /* 3 */
		"T2|snd(n)|\n"
		"T1|rcv(n)|\n"
		"T1|w(x)|a\n"  /* 6 */
		"T2|w(x)|b\n", /* 7 */
		"x 0-3 potential +1; x 6-7 observed");
}

/* ---- skipped checks ---- */

static void checks(const char *lines, uint64_t made, uint64_t skipped)
{
	struct scene s;
	scene_open(&s, &dh_engine_multirace, NULL);
	scene_play(&s, lines);
	assert_int_equal(scene_counter(&s, "checks"), made);
	assert_int_equal(scene_counter(&s, "checks_skipped"), skipped);
	assert_int_equal(scene_counter(&s, "first_accesses"), made + skipped);
	scene_close(&s);
}

/* While a lock covers all accesses, or all are reads, DJIT+ need not look. */
static void covered_checks_are_skipped(void **state)
{
	(void)state;
	checks("T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n"
	       "T2|acq(l)|\nT2|w(x)|\nT2|rel(l)|\n"
	       "T3|rdacq(l)|\nT3|r(x)|\nT3|rdrel(l)|\n",
	       0, 3);
	checks("T1|r(x)|\nT2|r(x)|\nT3|r(x)|\n", 0, 3);
	checks("T1|w(x)|\nT2|w(x)|\n", 2, 0);
	checks("T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\nT2|r(x)|\n", 1, 1);
	checks("T1|w(x)|\nT1|alloc(x)|\nT2|r(x)|\n", 1, 1);
}

/* What C(v) does not hold: an access in Initializing ... */
static void race_with_initialisation(void **state)
{
	(void)state;
	verdicts("T1|w(x)|a\n"
		 "T2|acq(l)|\n"
		 "T2|w(x)|b\n" /* C(x) = {l} */
		 "T2|rel(l)|\n",
		 "x 0-2 observed", "", "x 0-2 observed");
}

/* ... and one before a barrier that its thread took no part in. */
static void race_across_a_foreign_barrier(void **state)
{
	(void)state;
	verdicts("T3|w(x)|a\n" /* 0 */
		 "T1|benter(b)|\n"
		 "T2|benter(b)|\n"
		 "T1|bleave(b)|\n"
		 "T2|bleave(b)|\n"
		 "T1|acq(l)|\n"
		 "T1|w(x)|b\n" /* 6: C(x) = {l} */
		 "T1|rel(l)|\n",
		 "x 0-6 observed", "", "x 0-6 observed");
}

/* A barrier that all take part in orders and forgives. */
static void barrier_phases(void **state)
{
	(void)state;
	verdicts("T1|w(x)|a\n"
		 "T2|w(y)|b\n"
		 "T1|benter(b)|\n"
		 "T2|benter(b)|\n"
		 "T1|bleave(b)|\n"
		 "T2|bleave(b)|\n"
		 "T1|w(y)|c\n"
		 "T2|w(x)|d\n",
		 "", "", "");
	verdicts("T1|w(x)|a\n"
		 "T1|benter(b)|\n"
		 "T2|benter(b)|\n"
		 "T1|bleave(b)|\n"
		 "T2|bleave(b)|\n"
		 "T1|w(x)|b\n"
		 "T2|r(x)|c\n", /* 6: within the phase */
		 "x 5-6 observed", "x 5-6 potential", "x 5-6 observed +0");
}

static void warnings_are_counted(void **state)
{
	(void)state;
	struct scene s;
	scene_open(&s, &dh_engine_multirace, NULL);
	scene_play(&s,
		   "T1|w(x)|\nT1|w(y)|\nT2|w(x)|\nT1|snd(m)|\nT2|rcv(m)|\nT2|w(y)|\n");
	assert_int_equal(scene_counter(&s, "warnings"), 2);
	assert_int_equal(scene_counter(&s, "warnings_observed"), 1);
	assert_int_equal(scene_counter(&s, "repeats"), 0);
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(figure1),
	    cmocka_unit_test(figure2),
	    cmocka_unit_test(figure2_with_locks),
	    cmocka_unit_test(figure5),
	    cmocka_unit_test(figure7),
	    cmocka_unit_test(figure8),
	    cmocka_unit_test(djit_logs_first_accesses),
	    cmocka_unit_test(djit_checks_latest),
	    cmocka_unit_test(djit_kinds),
	    cmocka_unit_test(djit_order),
	    cmocka_unit_test(djit_slot_reuse),
	    cmocka_unit_test(distance_counts_frames),
	    cmocka_unit_test(unordered_rival_first),
	    cmocka_unit_test(latest_rival),
	    cmocka_unit_test(rival_in_the_same_slot),
	    cmocka_unit_test(warning_without_rival),
	    cmocka_unit_test(observed_after_potential),
	    cmocka_unit_test(covered_checks_are_skipped),
	    cmocka_unit_test(race_with_initialisation),
	    cmocka_unit_test(race_across_a_foreign_barrier),
	    cmocka_unit_test(barrier_phases),
	    cmocka_unit_test(warnings_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
