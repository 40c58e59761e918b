/* SPDX-License-Identifier: MIT */
/* Every arrow of the machine of racetrack/step.c, for objects and for fields; and the
 * locks that a thread holds (racetrack/held.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "runtime/racetrack/held.h"
#include "runtime/racetrack/step.h"

uint32_t dh_slot_count = 8;

enum { A = 1, B = 2, C = 3 }; /* slots */

static uint32_t strong[DH_SLOTS], weak[DH_SLOTS];
static dh_lockset none, l1, l2, both;

static int setup(void **state)
{
	(void)state;
	dh_rt_held_init();
	l1 = dh_lockset_add(dh_rt_locksets, none, 1);
	l2 = dh_lockset_add(dh_rt_locksets, none, 2);
	both = dh_lockset_add(dh_rt_locksets, l1, 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dh_lockset_table_free(dh_rt_locksets);
	return 0;
}

/* What the accessing thread knows of another: nothing, by locks, by other means. */
enum order { OPEN, BY_LOCK, AFTER };

static struct dh_rt_step step(uint32_t slot, uint32_t clock, bool write, dh_lockset locks,
			      uint32_t other, enum order order)
{
	for (uint32_t i = 0; i < DH_SLOTS; i++)
		strong[i] = weak[i] = 0;
	strong[other] = order >= BY_LOCK ? 100 : 0;
	weak[other] = order == AFTER ? 100 : 0;
	return (struct dh_rt_step){.epoch = dh_record_epoch(slot, clock),
				   .vc = strong,
				   .weak = weak,
				   .locks = locks,
				   .write = write};
}

/* A thread that has a slot. */
static struct dh_rt_thread thread(uint32_t slot)
{
	struct dh_rt_thread t = {.slot = slot};
	dh_rt_held_move(&t, slot);
	return t;
}

/* The slot's thread has held the lock until that clock, or holds it. */
static void hold(struct dh_rt_thread *t, uintptr_t lock, uint32_t until)
{
	dh_rt_held_take(t, lock, true);
	if (!until)
		return;
	dh_rt_latest[t->slot].clock = until;
	dh_rt_held_leave(t, lock, true);
}

static dh_rt_word owned(uint32_t slot, dh_lockset locks, unsigned flags)
{
	return dh_rt_make(DH_RT_OWNED, dh_record_epoch(slot, 5), locks, flags);
}

/* The next state; the word is left in *w. */
static enum dh_rt_state next(struct dh_rt_step s, dh_rt_word *w)
{
	*w = dh_rt_object_step(&s, *w);
	return dh_rt_state(*w);
}

static void from_virgin(void **state)
{
	(void)state;
	dh_rt_word w = 0;
	assert_int_equal(next(step(A, 7, true, l1, B, OPEN), &w), DH_RT_OWNED);
	assert_int_equal(dh_rt_label(w), dh_record_epoch(A, 7));
	assert_int_equal(dh_rt_info(w), l1);
	assert_int_equal(dh_rt_flags(w), DH_RT_WROTE | DH_RT_KNOWN);
	struct dh_rt_step heap = step(A, 7, false, none, B, OPEN);
	heap.heap = true;
	assert_int_equal(dh_rt_flags(dh_rt_object_step(&heap, 0)), 0);
}

static void own_stays(void **state)
{
	(void)state;
	dh_rt_word w = owned(A, none, DH_RT_WROTE), same;
	assert_int_equal(next(step(A, 5, false, none, B, OPEN), &w), DH_RT_OWNED);
	assert_int_equal(w, owned(A, none, DH_RT_WROTE)); /* nothing to store */
	next(step(A, 6, false, l1, B, OPEN), &w);
	same = w;
	assert_int_equal(dh_record_clock(w), 6);
	next(step(A, 6, true, l1, B, OPEN), &w);
	assert_int_equal(w, same);
}

/* From OWNED by A, B comes. */
static void from_owned(void **state)
{
	(void)state;
	const unsigned wrote = DH_RT_WROTE, known = DH_RT_WROTE | DH_RT_KNOWN;
	static const struct {
		unsigned flags;
		bool write;
		enum order order;
		int mine, its; /* locks: 0 none, 1, 2, 3 both */
		enum dh_rt_state to;
	} cases[] = {
	    {0, false, OPEN, 0, 0, DH_RT_READ},
	    {1, false, OPEN, 0, 0, DH_RT_FINE},
	    {0, true, OPEN, 1, 1, DH_RT_FINE},
	    {1, true, AFTER, 0, 0, DH_RT_OWNED},
	    {1, false, AFTER, 0, 0, DH_RT_READ},
	    {1, false, AFTER, 1, 0, DH_RT_LOCKED},
	    {2, true, BY_LOCK, 1, 3, DH_RT_LOCKED},
	    {2, true, BY_LOCK, 1, 2, DH_RT_FINE},
	    {2, false, BY_LOCK, 0, 0, DH_RT_FINE},
	    {1, true, BY_LOCK, 1, 0, DH_RT_LOCKED}, /* published under a lock */
	    {1, true, BY_LOCK, 0, 0, DH_RT_OWNED},
	    {1, false, BY_LOCK, 0, 0, DH_RT_READ},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(cases); i++) {
		const dh_lockset sets[] = {none, l1, l2, both};
		unsigned flags = cases[i].flags == 0   ? 0
				 : cases[i].flags == 1 ? wrote
						       : known;
		dh_rt_word w = owned(A, sets[cases[i].its], flags);
		enum dh_rt_state to = next(
		    step(B, 9, cases[i].write, sets[cases[i].mine], A, cases[i].order),
		    &w);
		if (to != cases[i].to)
			fail_msg("case %zu: state %d, not %d", i, to, cases[i].to);
	}
}

static void from_locked(void **state)
{
	(void)state;
	const unsigned flags = DH_RT_WROTE | DH_RT_KNOWN;
	const dh_rt_word start =
	    dh_rt_make(DH_RT_LOCKED, dh_record_epoch(A, 5), both, flags);
	dh_rt_word w = start;
	assert_int_equal(next(step(B, 9, false, both, A, BY_LOCK), &w), DH_RT_LOCKED);
	assert_int_equal(w, start); /* nothing to store */
	assert_int_equal(next(step(B, 9, false, l1, A, BY_LOCK), &w), DH_RT_LOCKED);
	assert_int_equal(dh_rt_info(w), l1);
	assert_int_equal(dh_rt_label(w), dh_record_epoch(A, 5));
	assert_int_equal(next(step(B, 9, true, l1, A, BY_LOCK), &w), DH_RT_LOCKED);
	assert_int_equal(dh_rt_label(w), dh_record_epoch(B, 9));
	assert_int_equal(next(step(C, 10, true, l2, B, BY_LOCK), &w), DH_RT_FINE);
	w = start;
	assert_int_equal(next(step(B, 9, false, both, A, OPEN), &w), DH_RT_FINE);
	w = start;
	assert_int_equal(next(step(B, 9, true, none, A, AFTER), &w), DH_RT_OWNED);
	w = start;
	assert_int_equal(next(step(B, 9, false, none, A, AFTER), &w), DH_RT_READ);
	w = start & ~(dh_rt_word)DH_RT_WROTE;
	assert_int_equal(next(step(B, 9, false, none, A, BY_LOCK), &w), DH_RT_READ);
	/* A goes on without a lock, when the others before it are not ordered but by
	 * locks, and when they are. */
	struct dh_rt_step s = step(A, 9, false, none, B, OPEN);
	w = start;
	s.sealed = 5;
	assert_int_equal(next(s, &w), DH_RT_FINE);
	w = start;
	s.sealed = 6;
	assert_int_equal(next(s, &w), DH_RT_READ);
}

/* Others may have read under the lock since the label. */
static void locked_readers(void **state)
{
	(void)state;
	struct dh_rt_thread c = thread(C), b = thread(B);
	hold(&c, 0x1000, 20); /* the first lock to be numbered: l1 */
	const dh_rt_word start = dh_rt_make(DH_RT_LOCKED, dh_record_epoch(A, 5), l1,
					    DH_RT_WROTE | DH_RT_KNOWN);
	assert_int_equal(dh_rt_held_until(C, l1), 20);
	assert_int_equal(dh_rt_held_until(B, l1), 0);
	dh_rt_word w = start;
	struct dh_rt_step s = step(B, 9, true, none, A, AFTER);
	assert_int_equal(next(s, &w), DH_RT_FINE);
	s.write = false;
	w = start;
	assert_int_equal(next(s, &w), DH_RT_READ);
	assert_int_equal(dh_rt_info(w), 1 << B | 1 << C);
	s.write = true;
	weak[C] = 20;
	w = start;
	assert_int_equal(next(s, &w), DH_RT_OWNED);
	hold(&c, 0x1000, 0);
	w = start;
	assert_int_equal(next(s, &w), DH_RT_FINE);
	/* A lock that others give back proves nothing; another one at its place is new.
	 */
	s = step(B, 9, false, l1, A, BY_LOCK);
	w = start;
	assert_int_equal(next(s, &w), DH_RT_LOCKED);
	dh_rt_held_doubt(0x1008);
	assert_false(dh_rt_held_doubtful(l1));
	dh_rt_held_doubt(0x1000);
	assert_true(dh_rt_held_doubtful(l1));
	assert_int_equal(next(s, &w), DH_RT_FINE);
	dh_rt_held_forget(0x1000, 8);
	hold(&b, 0x1000, 0);
	assert_false(dh_rt_held_doubtful(b.all));
}

/* Readers of what A has written. */
static void from_read(void **state)
{
	(void)state;
	uint64_t label = dh_record_epoch(A, 5);
	const dh_rt_word start = dh_rt_make(
	    DH_RT_READ, label, dh_rt_reader(dh_record_epoch(B, 1)), DH_RT_KNOWN);
	dh_rt_word w = start;
	assert_int_equal(next(step(C, 9, false, none, A, AFTER), &w), DH_RT_READ);
	assert_int_equal(dh_rt_info(w), 1 << B | 1 << C);
	assert_int_equal(dh_rt_label(w), label);
	w = start;
	assert_int_equal(next(step(C, 9, false, none, A, OPEN), &w), DH_RT_FINE);
	/* A write of one who does not know what B has done, of one who does, and of B. */
	dh_rt_latest[B].clock = 50;
	w = start;
	assert_int_equal(next(step(C, 9, true, none, A, AFTER), &w), DH_RT_FINE);
	w = dh_rt_make(DH_RT_READ, 0, 1 << B, DH_RT_KNOWN);
	assert_int_equal(next(step(C, 9, true, none, B, BY_LOCK), &w), DH_RT_OWNED);
	w = start;
	assert_int_equal(next(step(B, 9, true, none, A, AFTER), &w), DH_RT_OWNED);
}

/* What is refined, by what the object is then if no diary has anything of it. */
static void untold(void **state)
{
	(void)state;
	const unsigned flags = DH_RT_WROTE | DH_RT_KNOWN;
	const uint64_t label = dh_record_epoch(A, 5);
	const dh_rt_word locked = dh_rt_make(DH_RT_LOCKED, label, l1, flags),
			 read = dh_rt_make(DH_RT_READ, label, 1 << C, DH_RT_KNOWN);
	dh_rt_latest[C].clock = 50;
	const struct {
		dh_rt_word from;
		bool write;
		enum order order;
		enum dh_rt_state to; /* VIRGIN: refined all the same */
	} cases[] = {
	    {owned(A, none, flags), false, BY_LOCK, DH_RT_READ},
	    {owned(A, none, flags), true, BY_LOCK, DH_RT_OWNED},
	    {owned(A, none, flags), true, OPEN, DH_RT_VIRGIN},
	    {locked, false, BY_LOCK, DH_RT_READ},
	    {locked, true, BY_LOCK, DH_RT_OWNED},
	    {locked, false, OPEN, DH_RT_VIRGIN},
	    {read, true, BY_LOCK, DH_RT_OWNED},
	    {read, true, OPEN, DH_RT_VIRGIN},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(cases); i++) {
		struct dh_rt_step s = step(B, 9, cases[i].write, none, A, cases[i].order);
		assert_int_equal(dh_rt_object_step(&s, cases[i].from), DH_RT_FINE);
		if (dh_rt_state(s.untold) != cases[i].to)
			fail_msg("case %zu: state %d", i, dh_rt_state(s.untold));
		if (cases[i].to == DH_RT_READ)
			assert_int_equal(dh_rt_label(s.untold), label);
		/* The access finds it so, and leaves it. */
		if (s.untold)
			assert_int_equal(dh_rt_object_step(&s, s.untold), s.untold);
	}
}

/* Fields: suspect is what no lock and no order but that of locks is for. */
static void fields(void **state)
{
	(void)state;
	bool suspect;
	struct dh_rt_step s = step(B, 9, true, l2, A, BY_LOCK);
	dh_rt_word w = dh_rt_field_step(&s, owned(A, l1, DH_RT_WROTE), &suspect);
	assert_true(suspect);
	assert_int_equal(dh_rt_state(w), DH_RT_OWNED);
	w = dh_rt_field_step(&s, owned(A, both, DH_RT_WROTE), &suspect);
	assert_false(suspect);
	assert_int_equal(dh_rt_state(w), DH_RT_LOCKED);
	s = step(B, 9, true, l2, A, AFTER);
	w = dh_rt_field_step(&s, owned(A, l1, DH_RT_WROTE), &suspect);
	assert_false(suspect);
	assert_int_equal(dh_record_slot(w), B);
	s = step(B, 9, false, none, A, BY_LOCK);
	w = dh_rt_field_step(&s, owned(A, none, 0), &suspect);
	assert_false(suspect); /* two reads */
	assert_int_equal(dh_rt_state(w), DH_RT_LOCKED);
	/* After a race: others than the last one that was told, some of them. */
	w = dh_rt_make(DH_RT_TOLD, dh_record_epoch(A, 5), 0, 0);
	assert_int_equal(dh_rt_field_step(&s, w, &suspect), w);
	assert_true(suspect);
	w = dh_rt_make(DH_RT_TOLD, dh_record_epoch(B, 5), 0, 0);
	assert_int_equal(dh_rt_field_step(&s, w, &suspect), w);
	assert_false(suspect);
	w = dh_rt_make(DH_RT_TOLD, dh_record_epoch(A, 5), DH_RT_MORE, 0);
	assert_int_equal(dh_rt_field_step(&s, w, &suspect), w);
	assert_false(suspect);
	/* One that knows nothing by locks alone has nothing to suspect. */
	s = step(B, 9, true, none, A, BY_LOCK);
	s.sealed = UINT32_MAX;
	dh_rt_field_step(&s, owned(A, none, DH_RT_WROTE | DH_RT_MIXED), &suspect);
	assert_false(suspect);
}

/* Three locks, and the numbers that they get. */
static const uintptr_t locks[] = {0x4000, 0x4010, 0x4020};
static uint32_t numbers[3];

static void take(struct dh_rt_thread *t, char lock, bool write)
{
	uint32_t before = t->held_count;
	dh_rt_held_take(t, locks[lock - 'a'], write);
	if (t->held_count > before)
		numbers[lock - 'a'] = t->held[before].id;
}

static void leave(struct dh_rt_thread *t, char lock, bool write)
{
	dh_rt_held_leave(t, locks[lock - 'a'], write);
}

/* The locks that the thread holds, and in write mode. */
static void assert_held(const struct dh_rt_thread *t, const char *all, const char *write)
{
	const dh_lockset sets[] = {t->all, t->write};
	const char *const names[] = {all, write};
	for (int i = 0; i < 2; i++) {
		uint32_t count;
		dh_lockset_items(dh_rt_locksets, sets[i], &count);
		assert_int_equal(count, strlen(names[i]));
		for (const char *n = names[i]; *n; n++)
			assert_true(
			    dh_lockset_has(dh_rt_locksets, sets[i], numbers[*n - 'a']));
	}
}

/* Locks are given back in any order, and some are held in both modes. */
static void held(void **state)
{
	(void)state;
	struct dh_rt_thread t = thread(C);
	take(&t, 'a', true);
	take(&t, 'b', false);
	take(&t, 'c', true);
	assert_held(&t, "abc", "ac");
	leave(&t, 'b', false);
	assert_held(&t, "ac", "ac");
	leave(&t, 'c', true);
	assert_held(&t, "a", "a");
	take(&t, 'c', false);
	take(&t, 'a', true); /* recursive */
	take(&t, 'b', true);
	take(&t, 'c', true);
	assert_held(&t, "abc", "abc");
	leave(&t, 'b', true);
	assert_held(&t, "ac", "ac");
	leave(&t, 'c', true);
	assert_held(&t, "ac", "a");
	leave(&t, 'a', true);
	assert_held(&t, "ac", "a");
	leave(&t, 'a', true);
	assert_held(&t, "c", "");
	leave(&t, 'c', false);
	assert_held(&t, "", "");
	dh_rt_held_move(&t, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(from_virgin),    cmocka_unit_test(own_stays),
	    cmocka_unit_test(from_owned),     cmocka_unit_test(from_locked),
	    cmocka_unit_test(locked_readers), cmocka_unit_test(from_read),
	    cmocka_unit_test(untold),
	    cmocka_unit_test(fields),	      cmocka_unit_test(held),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
