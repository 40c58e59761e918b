/* SPDX-License-Identifier: MIT */
/*
 * Happens-before through atomics against a naive oracle: a few threads of the runtime
 * are played by one (as fibers that switch without synchronising). They make random
 * atomic operations of all kinds and orders, fences, releases and acquires of locks and
 * semaphores, take and give back mutexes and reader-writer locks, and make plain accesses
 * to variables of their own. The oracle follows the rules of C++20 with whole vector clocks
 * that count those accesses.
 *
 * Claim: after every step, each thread knows exactly those of each other's accesses that
 * the oracle says: no edge is missing, and none is made up. So it is although a thread may
 * go back to a time frame that had ended (resume.h), and does so often.
 */
#include "runtime/access.h"
#include "runtime/fences.h"
#include "runtime/fiber.h"
#include "runtime/race.h"
#include "runtime/resume.h"
#include "../unit/dice.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 4, PLACES = 3, LOCKS = 3, STEPS = 120, ROUNDS = 3000, MOST = STEPS + 1 };
enum { MUTEXES = 2, RWLOCKS = 2, NOBODY = -1 };

int __tsan_atomic32_load(const volatile int *a, int mo);
void __tsan_atomic32_store(volatile int *a, int v, int mo);
int __tsan_atomic32_fetch_add(volatile int *a, int v, int mo);
int __tsan_atomic32_compare_exchange_strong(volatile int *a, int *c, int v, int mo,
					    int fail);
void __tsan_atomic_thread_fence(int mo);

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	fail_msg("a race where there is none");
}

typedef uint32_t clock_type[THREADS];

static struct world {
	struct dh_fiber *fibers[THREADS];
	int place[PLACES];
	char lock[LOCKS];
	uint64_t own[THREADS][MOST];	/* memory of their own */
	uint64_t epochs[THREADS][MOST]; /* of each access, in place (record.h) */
	/* The oracle. */
	clock_type clock[THREADS], fence_release[THREADS], fence_acquire[THREADS];
	clock_type at[PLACES], in_lock[LOCKS];
	bool fenced[THREADS];
	/* Locks that are held. */
	char mutex[MUTEXES], rwlock[RWLOCKS];
	int holder[MUTEXES], writer[RWLOCKS];
	bool reads[RWLOCKS][THREADS];
	clock_type in_mutex[MUTEXES], in_rwlock[RWLOCKS], of_readers[RWLOCKS];
} w;

static unsigned gone_back; /* how often a thread did */

/* ---- the oracle ---- */

static bool acquires(int mo)
{
	return mo == __ATOMIC_CONSUME || mo == __ATOMIC_ACQUIRE ||
	       mo == __ATOMIC_ACQ_REL || mo == __ATOMIC_SEQ_CST;
}

static bool releases(int mo)
{
	return mo == __ATOMIC_RELEASE || mo == __ATOMIC_ACQ_REL || mo == __ATOMIC_SEQ_CST;
}

static void join(clock_type to, const clock_type from)
{
	for (int i = 0; i < THREADS; i++)
		to[i] = DH_MAX(to[i], from[i]);
}

static void reads(int me, int place, int mo)
{
	join(acquires(mo) ? w.clock[me] : w.fence_acquire[me], w.at[place]);
}

static void writes(int me, int place, int mo)
{
	if (releases(mo))
		join(w.at[place], w.clock[me]);
	else if (w.fenced[me])
		join(w.at[place], w.fence_release[me]);
}

static void fences(int me, int mo)
{
	if (acquires(mo))
		join(w.clock[me], w.fence_acquire[me]);
	if (releases(mo)) {
		memcpy(w.fence_release[me], w.clock[me], sizeof(clock_type));
		w.fenced[me] = true;
	}
}

/* ---- steps ---- */

static int any_of(struct dice *d, const int *orders, unsigned n)
{
	return orders[dice_roll(d, n)];
}

static void play_access(int me)
{
	uint32_t n = ++w.clock[me][me];
	dh_access_slow((uintptr_t)&w.own[me][n], DH_WHOLE, DH_ACCESS_WRITE, 0x1000);
	w.epochs[me][n] = dh_thread_self()->epoch;
}

static void play_load(int me, int place, struct dice *d)
{
	static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
				     __ATOMIC_SEQ_CST};
	int mo = any_of(d, orders, 4);
	__tsan_atomic32_load(&w.place[place], mo);
	reads(me, place, mo);
}

static void play_store(int me, int place, struct dice *d)
{
	static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE,
				     __ATOMIC_SEQ_CST};
	int mo = any_of(d, orders, 3);
	__tsan_atomic32_store(&w.place[place], 0, mo);
	memset(w.at[place], 0, sizeof(clock_type));
	writes(me, place, mo);
}

static void play_modify(int me, int place, struct dice *d)
{
	int mo = (int)dice_roll(d, 6);
	__tsan_atomic32_fetch_add(&w.place[place], 1, mo);
	reads(me, place, mo);
	writes(me, place, mo);
}

static void play_compare(int me, int place, struct dice *d)
{
	static const int orders[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
				     __ATOMIC_SEQ_CST};
	int mo = (int)dice_roll(d, 6), fail = any_of(d, orders, 3);
	int expected = w.place[place] + (dice_chance(d, 50) ? 1 : 0);
	bool done = __tsan_atomic32_compare_exchange_strong(&w.place[place], &expected, 5,
							    mo, fail);
	reads(me, place, done ? mo : fail);
	if (done)
		writes(me, place, mo);
}

static void play_fence(int me, struct dice *d)
{
	int mo = (int)dice_roll(d, 6);
	__tsan_atomic_thread_fence(mo);
	fences(me, mo);
}

/* Nobody holds these locks: only what passes through them is of interest. */
static void play_lock(int me, struct dice *d)
{
	int i = (int)dice_roll(d, LOCKS);
	struct dh_self *t = dh_thread_self();
	uintptr_t addr = (uintptr_t)&w.lock[i];
	switch (dice_roll(d, 4)) {
	case 0:
		dh_sync_release(t, addr);
		memcpy(w.in_lock[i], w.clock[me], sizeof(clock_type));
		break;
	case 1:
		dh_sync_release_join(t, addr);
		join(w.in_lock[i], w.clock[me]);
		break;
	default:
		dh_sync_acquire(t, addr);
		join(w.clock[me], w.in_lock[i]);
		break;
	}
}

static void take(uintptr_t lock, bool write)
{
	struct dh_self *t = dh_thread_self();
	if (dh_resume(t, lock, write, 0x2000)) {
		gone_back++;
		return;
	}
	dh_sync_take(t, lock);
	dh_held_add(t, lock, write, 0x2000);
}

static void play_mutex(int me, int i)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t lock = (uintptr_t)&w.mutex[i];
	if (w.holder[i] == me) {
		dh_sync_unlocking(t, lock);
		dh_held_remove(t, lock);
		memcpy(w.in_mutex[i], w.clock[me], sizeof(clock_type));
		w.holder[i] = NOBODY;
	} else if (w.holder[i] == NOBODY) {
		take(lock, true);
		join(w.clock[me], w.in_mutex[i]);
		w.holder[i] = me;
	}
}

static bool is_read(int i)
{
	bool any = false;
	for (int k = 0; k < THREADS; k++)
		any = any || w.reads[i][k];
	return any;
}

static void play_reading(int me, int i)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t lock = (uintptr_t)&w.rwlock[i];
	if (w.reads[i][me]) {
		dh_sync_read_unlocking(t, lock);
		dh_held_remove(t, lock);
		join(w.of_readers[i], w.clock[me]);
		w.reads[i][me] = false;
	} else if (w.writer[i] == NOBODY) {
		take(lock, false);
		join(w.clock[me], w.in_rwlock[i]);
		w.reads[i][me] = true;
	}
}

static void play_writing(int me, int i)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t lock = (uintptr_t)&w.rwlock[i];
	if (w.writer[i] == me) {
		dh_sync_write_release(t, lock);
		dh_held_remove(t, lock);
		memcpy(w.in_rwlock[i], w.clock[me], sizeof(clock_type));
		w.writer[i] = NOBODY;
	} else if (w.writer[i] == NOBODY && !is_read(i)) {
		dh_sync_write_acquire(t, lock);
		dh_held_add(t, lock, true, 0x2000);
		join(w.clock[me], w.in_rwlock[i]);
		join(w.clock[me], w.of_readers[i]);
		w.writer[i] = me;
	}
}

/* Mostly the same few. */
static void play_held(int me, struct dice *d)
{
	int i = dice_chance(d, 80) ? 0 : 1;
	switch (dice_roll(d, 5)) {
	case 0:
	case 1:
		return play_mutex(me, i);
	case 2:
	case 3:
		return play_reading(me, i);
	default:
		return play_writing(me, i);
	}
}

static void play(int me, struct dice *d)
{
	int place = (int)dice_roll(d, PLACES);
	dh_fiber_switch(w.fibers[me], false);
	if (dice_chance(d, 60))
		return dice_chance(d, 50) ? play_held(me, d) : play_access(me);
	switch (dice_roll(d, 13)) {
	case 0:
		return play_load(me, place, d);
	case 1:
		return play_store(me, place, d);
	case 2:
		return play_modify(me, place, d);
	case 3:
		return play_compare(me, place, d);
	case 4:
		return dh_fences_are(DH_FENCES_NONE) ? play_access(me)
						     : play_fence(me, d);
	case 5:
	case 6:
	case 7:
		return play_lock(me, d);
	default:
		return play_access(me);
	}
}

/* ---- the claim ---- */

static bool knows(const struct dh_self *t, int other, uint32_t n)
{
	uint64_t epoch = w.epochs[other][n];
	return dh_record_clock(epoch) <= t->vc[dh_record_slot(epoch)];
}

static void check(int me)
{
	const struct dh_self *t = dh_thread_self();
	for (int other = 0; other < THREADS; other++) {
		if (other == me)
			continue;
		for (uint32_t n = 1; n <= w.clock[other][other]; n++)
			assert_int_equal(knows(t, other, n), n <= w.clock[me][other]);
	}
}

static void start_afresh(void)
{
	memset(&w, 0, sizeof w);
	for (int i = 0; i < MUTEXES; i++)
		w.holder[i] = NOBODY;
	for (int i = 0; i < RWLOCKS; i++)
		w.writer[i] = NOBODY;
	dh_sync_forget_range((uintptr_t)&w, sizeof w);
	dh_shadow_clear((uintptr_t)&w, sizeof w);
}

static void round_of(uint64_t seed)
{
	struct dice d = {seed};
	struct dh_fiber *home = dh_fiber_current();
	int me = 0;
	start_afresh();
	for (int i = 0; i < THREADS; i++)
		w.fibers[i] = dh_fiber_create(0);
	for (int i = 0; i < STEPS; i++) {
		if (dice_chance(&d, 40))
			me = (int)dice_roll(&d, THREADS);
		play(me, &d);
		check(me);
	}
	for (int i = 0; i < THREADS; i++) {
		dh_fiber_switch(w.fibers[i], false);
		dh_fiber_switch(home, true); /* who knows their ends can use their slots */
		dh_fiber_destroy(w.fibers[i]);
	}
}

static void edges_are_those_of_the_oracle(void **state)
{
	(void)state;
	gone_back = 0;
	for (unsigned i = 0; i < ROUNDS; i++)
		round_of(i);
	assert_true(gone_back > ROUNDS);
}

/* The rules are the same where the runtime knows that there are no fences. */
static void so_they_are_without_fences(void **state)
{
	dh_fences_note(false);
	assert_true(dh_fences_are(DH_FENCES_NONE));
	edges_are_those_of_the_oracle(state);
}

/* A thread has read something before there were fences: that it may come after everything
 * is more than true, but no false alarm. */
static void a_late_fence_makes_up(void **state)
{
	(void)state;
	struct dh_fiber *home = dh_fiber_current(), *writer = dh_fiber_create(0),
			*reader = dh_fiber_create(0);
	start_afresh();
	dh_fiber_switch(writer, false);
	play_access(0);
	__tsan_atomic32_store(&w.place[0], 1, __ATOMIC_RELEASE);
	dh_fiber_switch(reader, false);
	assert_int_equal(__tsan_atomic32_load(&w.place[0], __ATOMIC_RELAXED), 1);
	dh_fences_note(true);
	assert_true(dh_fences_are(DH_FENCES_LATE));
	assert_false(knows(dh_thread_self(), 0, 1));
	__tsan_atomic_thread_fence(__ATOMIC_ACQUIRE);
	assert_true(knows(dh_thread_self(), 0, 1));
	dh_fiber_switch(home, false);
	dh_fiber_destroy(writer);
	dh_fiber_destroy(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(edges_are_those_of_the_oracle),
	    cmocka_unit_test(so_they_are_without_fences),
	    cmocka_unit_test(a_late_fence_makes_up),
	};
	dh_threads_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
