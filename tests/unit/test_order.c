/* SPDX-License-Identifier: MIT */
/* The two orders: each primitive by itself, slots, and the weak clock's bound. */
#include "dice.h"
#include "clock/order.h"

#include <string.h>

static void open_order(struct dh_order *o, uint32_t limit, uint32_t max)
{
	struct dh_order_config c = {
	    .relation = {true, true}, .clock_limit = limit, .clock_max = max};
	dh_order_init(o, &c);
}

/* ---- each primitive by itself ---- */

struct pair {
	struct dh_order order;
	struct dh_party a, b;
	dh_epoch of_a; /* of something that a did at the start */
};

static void pair_open(struct pair *p)
{
	memset(p, 0, sizeof *p);
	open_order(&p->order, 0, 0);
	p->b.id = 1;
	dh_order_start(&p->order, &p->a, NULL);
	dh_order_start(&p->order, &p->b, NULL);
	p->of_a = dh_epoch_make(p->a.slot, p->a.clock);
}

/* Is a's deed before b, by strong and weak, as said? Ends the scene. */
static void pair_expect(struct pair *p, bool strong, bool weak)
{
	assert_int_equal(dh_order_epoch_before(&p->b, DH_STRONG, p->of_a), strong);
	assert_int_equal(dh_order_epoch_before(&p->b, DH_WEAK, p->of_a), weak);
	dh_order_end(&p->order, &p->a);
	dh_order_end(&p->order, &p->b);
	dh_order_free(&p->order);
}

static void test_unordered(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	pair_expect(&p, false, false);
}

/* Every combination of release and acquire mode. */
static void test_locks(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		bool release_write = i & 1, acquire_write = i & 2;
		struct pair p;
		pair_open(&p);
		dh_order_acquire(&p.order, &p.a, 3, release_write);
		dh_order_release(&p.order, &p.a, 3, release_write);
		dh_order_acquire(&p.order, &p.b, 3, acquire_write);
		pair_expect(&p, release_write || acquire_write, false);
	}
}

/* Another lock orders nothing; nor does an acquire that came before. */
static void test_lock_unrelated(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_acquire(&p.order, &p.b, 1, true);
	dh_order_release(&p.order, &p.b, 1, true);
	dh_order_acquire(&p.order, &p.a, 1, true);
	dh_order_release(&p.order, &p.a, 1, true);
	dh_order_acquire(&p.order, &p.b, 0, true);
	pair_expect(&p, false, false);
}

/* What a did after it released is not ordered, though the thread is known. */
static void test_after_release(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_send(&p.order, &p.a, 0);
	p.of_a = dh_epoch_make(p.a.slot, p.a.clock);
	dh_order_receive(&p.order, &p.b, 0);
	pair_expect(&p, false, false);
}

static void test_message(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_send(&p.order, &p.a, 2);
	dh_order_receive(&p.order, &p.b, 2);
	pair_expect(&p, true, true);
}

static void test_volatile(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_volatile_write(&p.order, &p.a, 2);
	dh_order_volatile_read(&p.order, &p.b, 2);
	pair_expect(&p, true, true);
	pair_open(&p);
	dh_order_volatile_read(&p.order, &p.a, 2); /* a read sends nothing */
	dh_order_volatile_read(&p.order, &p.b, 2);
	pair_expect(&p, false, false);
}

static void test_barrier(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_barrier_enter(&p.order, &p.a, 0);
	dh_order_barrier_enter(&p.order, &p.b, 0);
	assert_false(dh_order_epoch_before(&p.b, DH_WEAK, p.of_a));
	assert_true(dh_order_barrier_leave(&p.order, &p.b, 0));
	assert_false(dh_order_barrier_leave(&p.order, &p.a, 0));
	pair_expect(&p, true, true);
}

/* b leaves the first episode only after a has opened the second: what a did in
 * between is not ordered before b. */
static void test_barrier_straggler(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p);
	dh_order_barrier_enter(&p.order, &p.a, 0);
	dh_order_barrier_enter(&p.order, &p.b, 0);
	assert_true(dh_order_barrier_leave(&p.order, &p.a, 0));
	dh_epoch first = p.of_a;
	p.of_a = dh_epoch_make(p.a.slot, p.a.clock);
	dh_order_barrier_enter(&p.order, &p.a, 0);
	assert_false(dh_order_barrier_leave(&p.order, &p.b, 0));
	assert_true(dh_order_epoch_before(&p.b, DH_STRONG, first));
	pair_expect(&p, false, false);
}

static void test_fork_and_join(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party a = {0}, b = {.id = 1};
	open_order(&o, 0, 0);
	dh_order_start(&o, &a, NULL);
	dh_epoch before = dh_epoch_make(a.slot, a.clock);
	dh_order_start(&o, &b, &a);
	dh_epoch after = dh_epoch_make(a.slot, a.clock);
	dh_epoch of_b = dh_epoch_make(b.slot, b.clock);
	for (int r = 0; r < DH_RELATIONS; r++) {
		assert_true(dh_order_epoch_before(&b, r, before));
		assert_false(dh_order_epoch_before(&b, r, after));
		assert_false(dh_order_epoch_before(&a, r, of_b));
	}
	dh_order_join(&o, &a, &b);
	for (int r = 0; r < DH_RELATIONS; r++)
		assert_true(dh_order_epoch_before(&a, r, of_b));
	dh_order_end(&o, &a);
	dh_order_end(&o, &b);
	dh_order_free(&o);
}

/* ---- slots ---- */

static void test_slot_reuse(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party p[6] = {{0}};
	open_order(&o, 0, 0);
	for (uint32_t i = 0; i < 6; i++)
		p[i].id = i;
	dh_order_start(&o, &p[0], NULL);
	dh_order_start(&o, &p[1], NULL);
	dh_order_start(&o, &p[2], &p[0]);
	dh_order_join(&o, &p[0], &p[2]);
	/* Thread 1 does not know that 2 has ended; 0 does. */
	dh_order_start(&o, &p[3], &p[1]);
	assert_int_not_equal(p[3].slot, p[2].slot);
	/* By a lock it knows in one relation only, which is not enough. */
	dh_order_acquire(&o, &p[0], 0, true);
	dh_order_release(&o, &p[0], 0, true);
	dh_order_acquire(&o, &p[1], 0, true);
	assert_true(dh_order_before(&p[1], DH_STRONG, p[2].slot, p[2].clock));
	dh_order_start(&o, &p[4], &p[1]);
	assert_int_not_equal(p[4].slot, p[2].slot);
	assert_int_equal(o.slots_reused, 0);
	dh_order_start(&o, &p[5], &p[0]);
	assert_int_equal(p[5].slot, p[2].slot);
	assert_true(p[5].clock > p[2].clock);
	assert_int_equal(o.slots_reused, 1);
	/* A second join of the former owner says nothing about the new one. */
	dh_order_join(&o, &p[1], &p[2]);
	assert_true(dh_order_before(&p[1], DH_WEAK, p[2].slot, p[2].clock));
	assert_false(dh_order_before(&p[1], DH_WEAK, p[5].slot, p[5].clock));
	for (int i = 0; i < 6; i++)
		dh_order_end(&o, &p[i]);
	dh_order_free(&o);
}

/* A long row of threads, one after the other, needs two slots. */
static void test_slots_bounded(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party parent = {0};
	open_order(&o, 0, 0);
	dh_order_start(&o, &parent, NULL);
	for (uint32_t i = 1; i <= 1000; i++) {
		struct dh_party child = {.id = i};
		dh_order_start(&o, &child, &parent);
		dh_order_join(&o, &parent, &child);
		dh_order_end(&o, &child);
	}
	assert_int_equal(o.slot_last.len, 2);
	assert_int_equal(o.slots_reused, 999);
	dh_order_end(&o, &parent);
	dh_order_free(&o);
}

static void test_full_clock(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party a = {0};
	open_order(&o, 0, 5);
	dh_order_start(&o, &a, NULL);
	uint32_t first_slot = a.slot;
	for (int i = 0; i < 12; i++) {
		assert_in_range(a.clock, 1, 5);
		dh_order_send(&o, &a, 0);
	}
	assert_int_equal(o.slots_renewed, 2);
	assert_int_not_equal(a.slot, first_slot);
	for (int r = 0; r < DH_RELATIONS; r++)
		assert_true(dh_order_before(&a, r, first_slot, 5)); /* its own past */
	dh_order_end(&o, &a);
	dh_order_free(&o);
}

/* Slots that are full are never reused, and do not keep others from being so. */
static void test_full_slots_aside(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party parent = {0}, p[8] = {{0}};
	open_order(&o, 0, 4);
	dh_order_start(&o, &parent, NULL);
	for (uint32_t i = 0; i < 7; i++) {
		p[i].id = i + 1;
		dh_order_start(&o, &p[i], &parent);
	}
	dh_order_join(&o, &parent, &p[0]);
	for (uint32_t i = 1; i < 7; i++) {
		while (p[i].clock < 4)
			dh_order_send(&o, &p[i], 0);
		dh_order_join(&o, &parent, &p[i]);
	}
	p[7].id = 8;
	dh_order_start(&o, &p[7], &parent);
	assert_int_equal(p[7].slot, p[0].slot);
	for (int i = 0; i < 8; i++)
		dh_order_end(&o, &p[i]);
	dh_order_end(&o, &parent);
	dh_order_free(&o);
}

/* ---- the weak clock's bound ---- */

static void test_bounded_forgets(void **state)
{
	(void)state;
	enum { OTHERS = 9 };
	struct dh_order o;
	struct dh_party p[OTHERS + 1] = {{0}};
	open_order(&o, 4, 0);
	for (uint32_t i = 0; i <= OTHERS; i++) {
		p[i].id = i;
		dh_order_start(&o, &p[i], NULL);
	}
	dh_epoch e[OTHERS + 1];
	for (uint32_t i = 1; i <= OTHERS; i++) {
		e[i] = dh_epoch_make(p[i].slot, p[i].clock);
		dh_order_send(&o, &p[i], i);
		dh_order_receive(&o, &p[0], i);
	}
	unsigned known = 0;
	for (uint32_t i = 1; i <= OTHERS; i++) {
		assert_true(dh_order_epoch_before(&p[0], DH_STRONG, e[i]));
		known += dh_order_epoch_before(&p[0], DH_WEAK, e[i]);
	}
	assert_true(dh_order_epoch_before(&p[0], DH_WEAK, e[OTHERS]));
	assert_int_equal(known + o.entries_dropped, OTHERS);
	assert_in_range(known, 2, 4);
	for (uint32_t i = 0; i <= OTHERS; i++)
		dh_order_end(&o, &p[i]);
	dh_order_free(&o);
}

/* What a thread forgets while it is being started is counted, too. */
static void test_dropped_at_start(void **state)
{
	(void)state;
	struct dh_order o;
	struct dh_party p[4] = {{0}};
	open_order(&o, 2, 0);
	for (uint32_t i = 0; i < 3; i++) {
		p[i].id = i;
		dh_order_start(&o, &p[i], NULL);
	}
	for (uint32_t i = 1; i < 3; i++) {
		dh_order_send(&o, &p[i], 0);
		dh_order_receive(&o, &p[0], 0);
	}
	uint64_t before = o.entries_dropped;
	p[3].id = 3;
	dh_order_start(&o, &p[3], &p[0]); /* two entries and the parent's own */
	assert_int_equal(o.entries_dropped, before + 1);
	for (int i = 0; i < 4; i++)
		dh_order_end(&o, &p[i]);
	dh_order_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unordered),
	    cmocka_unit_test(test_locks),
	    cmocka_unit_test(test_lock_unrelated),
	    cmocka_unit_test(test_after_release),
	    cmocka_unit_test(test_message),
	    cmocka_unit_test(test_volatile),
	    cmocka_unit_test(test_barrier),
	    cmocka_unit_test(test_barrier_straggler),
	    cmocka_unit_test(test_fork_and_join),
	    cmocka_unit_test(test_slot_reuse),
	    cmocka_unit_test(test_slots_bounded),
	    cmocka_unit_test(test_full_clock),
	    cmocka_unit_test(test_full_slots_aside),
	    cmocka_unit_test(test_bounded_forgets),
	    cmocka_unit_test(test_dropped_at_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
