/* SPDX-License-Identifier: MIT */
/*
 * The log of locks held against an oracle that remembers everything: a thread takes and
 * gives back locks at random, makes records and ends time frames. For every frame that is
 * not too long ago the log knows; what it is sure of was held at each record of the
 * frame, and what was held at some record is among its answers.
 */
#include "base/mem.h"
#include "runtime/access.h"
#include "runtime/lock_log.h"
#include "runtime/race.h"
#include "runtime/resume.h"
#include "../unit/dice.h"

enum { LOCKS = 6, FRAMES = 1 << 16, STEPS = 40000 };

static char locks[LOCKS];
static unsigned all_held[FRAMES], some_held[FRAMES]; /* by clock: over its records */
static bool recorded[FRAMES];
static unsigned held;

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static uint32_t slot(void)
{
	return (uint32_t)(dh_thread_self()->epoch >> DH_SLOT_SHIFT);
}

static uint32_t now(void)
{
	return dh_record_clock(dh_thread_self()->epoch);
}

static void take(unsigned i)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t lock = (uintptr_t)&locks[i];
	if (!(held & 1u << i) && !dh_resume(t, lock, i % 2, 0x1000 + i))
		dh_held_add(t, lock, i % 2, 0x1000 + i);
	held |= 1u << i;
}

/* As the interceptors have it, so that the thread goes back to the time frame if this is
 * the next that it takes; or without a tick: a lock that nobody else can learn from. */
static void give_back(unsigned i, bool tick)
{
	struct dh_self *t = dh_thread_self();
	if (!(held & 1u << i))
		return;
	if (tick)
		dh_sync_unlocking(t, (uintptr_t)&locks[i]);
	dh_held_remove(t, (uintptr_t)&locks[i]);
	held &= ~(1u << i);
}

static void record(void)
{
	uint32_t c = now();
	dh_thread_self()->dirty = true;
	all_held[c] = recorded[c] ? all_held[c] & held : held;
	some_held[c] |= held;
	recorded[c] = true;
}

static unsigned mask_of(const struct dh_held *at, uint32_t count)
{
	unsigned mask = 0;
	for (uint32_t i = 0; i < count; i++) {
		unsigned n = (unsigned)((char *)at[i].lock - locks);
		assert_in_range(n, 0, LOCKS - 1);
		assert_int_equal(at[i].write, n % 2);
		assert_int_equal(dh_site_pc(dh_contexts, at[i].site), 0x1000 + n);
		assert_int_equal(mask & 1u << n, 0);
		mask |= 1u << n;
	}
	return mask;
}

/* Is the frame known, and right? */
static bool check(uint32_t clock)
{
	struct dh_lock_log_answer a;
	if (!dh_lock_log_find(slot(), clock, 0, &a)) {
		assert_int_equal(a.sure_count + a.maybe_count, 0);
		return false;
	}
	unsigned sure = mask_of(a.sure, a.sure_count);
	unsigned maybe = mask_of(a.maybe, a.maybe_count);
	assert_int_equal(sure & maybe, 0);
	assert_int_equal(sure & ~all_held[clock], 0);
	assert_int_equal(some_held[clock] & ~(sure | maybe), 0);
	return true;
}

static void at_random(void **state)
{
	(void)state;
	struct dice d = {.state = 7};
	uint32_t first = now(), known = 0;
	for (int i = 0; i < STEPS; i++) {
		unsigned n = dice_roll(&d, LOCKS);
		switch (dice_roll(&d, 8)) {
		case 0:
		case 1:
			take(n);
			break;
		case 2:
		case 3:
		case 4:
			give_back(n, dice_roll(&d, 4) != 0);
			break;
		default:
			record();
		}
		uint32_t back = dice_roll(&d, 1200);
		uint32_t clock = now() - first > back ? now() - back : first;
		if (recorded[clock])
			known += check(clock);
		if (recorded[now()])
			assert_true(check(now()));
	}
	assert_true(known > STEPS / 4);
	while (held)
		give_back((unsigned)__builtin_ctz(held), true);
}

static void usual_course(void **state)
{
	(void)state;
	struct dh_lock_log_answer a;
	for (int i = 0; i < 3 * DH_LOCK_LOG_ENTRIES; i++) {
		take(1);
		take(2);
		record();
		uint32_t clock = now();
		give_back(2, true);
		give_back(1, true);
		assert_true(dh_lock_log_find(slot(), clock, 0, &a));
		assert_int_equal(a.sure_count, 2);
		assert_int_equal(a.maybe_count, 0);
	}
	assert_false(dh_lock_log_find(slot(), now() - 3 * DH_LOCK_LOG_ENTRIES / 2, 0, &a));
}

/* However many others come and go. */
static void held_for_long(void **state)
{
	(void)state;
	take(0);
	for (int i = 0; i < 3 * DH_LOCK_LOG_ENTRIES; i++) {
		take(1);
		record();
		uint32_t clock = now();
		give_back(1, true);
		assert_true(check(clock));
	}
	give_back(0, true);
}

static void taken_within_a_frame(void **state)
{
	(void)state;
	struct dh_lock_log_answer a;
	dh_thread_tick(dh_thread_self());
	take(3);
	record();
	take(4);
	record();
	assert_true(dh_lock_log_find(slot(), now(), 0, &a));
	assert_int_equal(mask_of(a.sure, a.sure_count), 1 << 3);
	assert_int_equal(mask_of(a.maybe, a.maybe_count), 1 << 4);
	give_back(4, true);
	give_back(3, true);
}

/* In a time frame that was gone back to, each time by another function. */
static void taken_elsewhere(void **state)
{
	(void)state;
	struct dh_self *t = dh_thread_self();
	struct dh_lock_log_answer a;
	uint32_t sites[3], frame = 0;
	dh_thread_tick(t);
	for (unsigned i = 0; i < 3; i++) {
		dh_thread_enter(t, 0x100 + i);
		take(1);
		record();
		frame = i ? frame : now();
		assert_int_equal(now(), frame);
		sites[i] = dh_thread_site(t, 0x200);
		give_back(1, true);
		dh_thread_exit(t);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_true(dh_lock_log_find(slot(), frame, sites[i], &a));
		assert_int_equal(mask_of(a.sure, a.sure_count), 1 << 1);
		assert_int_equal(dh_site_node(dh_contexts, a.sure[0].site),
				 dh_site_node(dh_contexts, sites[i]));
	}
}

/* Nothing is known to have been held by who has not locked in a slot yet. */
static void other_slot(void **state)
{
	(void)state;
	struct dh_lock_log_answer a;
	assert_true(dh_lock_log_find(slot() + 1, 5, 0, &a));
	assert_int_equal(a.sure_count + a.maybe_count, 0);
	take(5);
	record();
	uint32_t clock = now();
	dh_lock_log_close(slot(), clock + 1);
	assert_true(dh_lock_log_find(slot(), clock, 0, &a));
	assert_int_equal(a.sure_count, 1);
	assert_true(dh_lock_log_find(slot(), clock + 2, 0, &a));
	assert_int_equal(a.sure_count + a.maybe_count, 0);
}

/* One whose clock is full: the next slot. */
static void use_up_slot(void)
{
	struct dh_self *t = dh_thread_self();
	uint32_t old = slot();
	t->vc[old] = DH_RECORD_CLOCK_MAX - 1;
	t->epoch = dh_record_epoch(old, t->vc[old]);
	take(2);
	t->dirty = DH_DIRTY_RECORD;
	give_back(2, true);
	assert_int_not_equal(slot(), old);
}

/* The clocks of another slot begin again. */
static void forget_frames(void)
{
	for (uint32_t c = 0; c < FRAMES; c++) {
		recorded[c] = false;
		all_held[c] = some_held[c] = 0;
	}
}

/* What was held at the end of a slot is known as long as ever, and then its memory serves
 * the next. */
static void many_slots(void **state)
{
	(void)state;
	enum { SLOTS = 40 };
	struct dh_lock_log_answer a;
	size_t before = 0;
	for (int i = 0; i < SLOTS; i++) {
		uint32_t old = slot();
		use_up_slot();
		forget_frames();
		assert_true(dh_lock_log_find(old, DH_RECORD_CLOCK_MAX - 1, 0, &a));
		assert_int_equal(mask_of(a.sure, a.sure_count), 1 << 2);
		for (int k = 0; k < 2 * DH_LOCK_LOG_ENTRIES; k++) {
			take(1);
			record();
			give_back(1, true);
			assert_true(check(now() - 1));
		}
		assert_false(dh_lock_log_find(old, DH_RECORD_CLOCK_MAX - 1, 0, &a));
		if (i == 2)
			before = dh_mem_in_use();
	}
	assert_true(dh_mem_in_use() < before + sizeof(struct dh_lock_log));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(usual_course),	    cmocka_unit_test(held_for_long),
	    cmocka_unit_test(taken_within_a_frame), cmocka_unit_test(at_random),
	    cmocka_unit_test(taken_elsewhere),
	    cmocka_unit_test(many_slots),	    cmocka_unit_test(other_slot),
	};
	dh_threads_init();
	return cmocka_run_group_tests_name("lock_log", tests, NULL, NULL);
}
