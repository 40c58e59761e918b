/* SPDX-License-Identifier: MIT */
/* What is counted of accesses to the bytes of a race: who, with which locks, and what
 * became of the value; and that counting ends. */
#include "runtime/access.h"
#include "runtime/evidence.h"
#include "runtime/race.h"
#include "../unit/dice.h"

static _Alignas(8) int64_t counter;
static char lock;

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
}

static void touch(const void *at, unsigned mask, unsigned flags, uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	if (dh_evidence_wants((uintptr_t)at))
		dh_evidence_access(t, (uintptr_t)at, mask, flags, pc);
	dh_leave_runtime(t);
}

static void watch(uint64_t serial, const void *at, unsigned mask)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_evidence_watch(serial, (uintptr_t)at, mask, dh_thread_site(t, 0x10),
			  dh_thread_site(t, 0x20));
	dh_leave_runtime(t);
}

static void step(int64_t by, uint64_t pc)
{
	touch(&counter, 0xff, 0, pc);
	touch(&counter, 0xff, DH_ACCESS_WRITE, pc);
	counter += by;
}

static void counts(void **state)
{
	(void)state;
	struct dh_self *t = dh_thread_self();
	struct dh_evidence e;
	touch(&counter, 0xff, 0, 0x10);
	watch(1, &counter, 0xff);
	assert_true(dh_evidence_wants((uintptr_t)&counter));
	assert_false(dh_evidence_wants((uintptr_t)&counter + 8));
	for (int i = 0; i < 90; i++) {
		dh_held_add(t, (uintptr_t)&lock, true, 0x30);
		step(1, 0x10);
		dh_held_remove(t, (uintptr_t)&lock);
	}
	step(0, 0x20);
	step(-5, 0x20);
	touch(&counter, 0xff, 0, 0x40);
	touch(&lock, 1, DH_ACCESS_WRITE, 0x40);
	assert_true(dh_evidence_get(0, &e));
	assert_false(dh_evidence_get(1, &e));
	const struct dh_evidence_facts *f = &e.facts;
	assert_int_equal(e.serial, 1);
	assert_int_equal(f->accesses, 185);
	assert_int_equal(f->writes, 92);
	assert_int_equal(f->read_then_write, 92);
	assert_int_equal(f->unlocked, 5);
	assert_int_equal(f->locks[0].what, (int64_t)&lock);
	assert_int_equal(f->locks[0].count, 180);
	assert_int_equal(f->steps[0].what, 1);
	assert_int_equal(f->steps[0].count, 90);
	assert_int_equal(f->steps[1].what, -5);
	assert_int_equal(f->steps[1].count, 1);
	assert_int_equal(f->steps[2].count, 0);
	assert_int_equal(f->same_value, 1);
	assert_int_equal(f->thread_count, 1);
	assert_int_equal(e.at_first, 180);
	assert_int_equal(e.at_second, 4);
	assert_false(f->full);
}

/* Bytes that had no part in the race do not count; those of two races do together. */
static void bytes(void **state)
{
	(void)state;
	static _Alignas(8) uint8_t at[8];
	struct dh_evidence e;
	watch(2, at, 0x0f);
	touch(at, 0xf0, 0, 0x10);
	touch(at, 0x01, 0, 0x10);
	touch(at, 0x0c, DH_ACCESS_WRITE | DH_ACCESS_FREE, 0x10);
	assert_true(dh_evidence_get(1, &e));
	assert_int_equal(e.facts.accesses, 2);
	watch(3, at, 0xf0);
	touch(at, 0xf0, DH_ACCESS_ATOMIC, 0x10);
	assert_true(dh_evidence_get(2, &e));
	assert_int_equal(e.facts.accesses, 3);
	assert_int_equal(e.facts.atomics, 1);
	assert_int_equal(e.at_first, 1);
}

static void ends(void **state)
{
	(void)state;
	static _Alignas(8) int64_t busy[2 * DH_EVIDENCE_RACES];
	struct dh_evidence e;
	uint32_t n = 0;
	dh_evidence_forget();
	assert_false(dh_evidence_get(0, &e));
	watch(1, busy, 0xff);
	for (int i = 0; i < DH_EVIDENCE_ACCESSES + 10; i++)
		touch(busy, 0xff, 0, 0x10);
	assert_true(dh_evidence_get(0, &e));
	assert_int_equal(e.facts.accesses, DH_EVIDENCE_ACCESSES);
	assert_true(e.facts.full);
	assert_false(dh_evidence_wants((uintptr_t)busy));
	for (int i = 1; i < 2 * DH_EVIDENCE_RACES; i++)
		watch((uint64_t)i + 1, &busy[i], 0xff);
	while (dh_evidence_get(n, &e))
		n++;
	assert_int_equal(n, DH_EVIDENCE_RACES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts),
	    cmocka_unit_test(bytes),
	    cmocka_unit_test(ends),
	};
	dh_threads_init();
	return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
