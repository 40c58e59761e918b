/* SPDX-License-Identifier: MIT */
/* What can be reached (runtime/missing/reach.h): blocks, variables, stacks; what is kept,
 * and when it is looked at again; and random graphs against a plain search. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#include "runtime/flags.h"
#include "runtime/heap.h"
#include "runtime/missing/globals.h"
#include "runtime/missing/reach.h"
#include "runtime/race.h"
#include "../unit/dice.h"

void dh_race_found(struct dh_self *t, uintptr_t granule, unsigned mask, dh_record mine,
		   unsigned flags, dh_record other, bool other_write)
{
	(void)t, (void)granule, (void)mask, (void)mine, (void)flags, (void)other;
	(void)other_write;
	fail_msg("one thread has no races");
}

struct node {
	struct node *next[3];
};

static struct dh_reach reach;
static struct node variable[4];
static const struct node fixed;

/* `sp` is the frame of the test, which is the innermost that counts. */
static void from(const void *p)
{
	uint64_t word = (uintptr_t)p;
	dh_reach_from(dh_thread_self(), (uintptr_t)__builtin_frame_address(0), &word, 1,
		      NULL, &reach);
}

static struct node *block(void)
{
	return dh_heap_alloc_zero(sizeof(struct node), 0);
}

static void set(struct node **to, struct node *p)
{
	dh_reach_written((uintptr_t)to, sizeof *to);
	*to = p;
}

static bool has(const void *p)
{
	for (size_t i = 0; i < reach.len; i++)
		if (reach.at[i].start == (uintptr_t)p)
			return true;
	return false;
}

static struct dh_reach_stats stats(void)
{
	struct dh_reach_stats s;
	dh_reach_get_stats(&s);
	return s;
}

/* ---- kinds of objects ---- */

static void blocks(void **state)
{
	(void)state;
	struct node *a = block(), *b = block(), *c = block();
	a->next[2] = (struct node *)&b->next[1]; /* into it */
	b->next[0] = c;
	c->next[0] = a;
	from(&a->next[1]);
	assert_int_equal(reach.len, 3);
	assert_int_equal(reach.at[0].start, (uintptr_t)a);
	assert_int_equal(reach.at[0].size, sizeof *a);
	assert_int_equal(reach.at[1].start, (uintptr_t)b);
	assert_int_equal(reach.at[2].start, (uintptr_t)c);
	dh_heap_free(b, 0);
	from(a);
	assert_int_equal(reach.len, 1);
}

static void variables(void **state)
{
	(void)state;
	struct node *a = block();
	variable[3].next[1] = a;
	from(&variable[2]);
	assert_int_equal(reach.len, 2);
	assert_int_equal(reach.at[0].start, (uintptr_t)variable);
	assert_int_equal(reach.at[0].size, sizeof variable);
	assert_int_equal(reach.at[1].start, (uintptr_t)a);
	from(&fixed);
	assert_int_equal(reach.len, 0);
	from((void *)(uintptr_t)&variables);
	assert_int_equal(reach.len, 0);
}

/* Neither is followed to the other. */
static void guesses(void **state)
{
	(void)state;
	struct node *a = block(), other, local = {{a, &other, NULL}};
	uint64_t word = (uintptr_t)&local;
	memset(&other, 0, sizeof other);
	__asm__ volatile("" : : "r"(&other), "r"(&local) : "memory");
	dh_reach_from(dh_thread_self(), DH_MIN((uintptr_t)&other, (uintptr_t)&local),
		      &word, 1, NULL, &reach);
	assert_int_equal(reach.at[0].start, (uintptr_t)&local);
	assert_true(reach.at[0].size <= DH_REACH_GUESS);
	assert_true(has(a));
	assert_false(has(&other));
}

static void nowhere(void **state)
{
	(void)state;
	static const uint64_t words[] = {
	    0, 1, 0xffff, 0x123456789000, UINT64_MAX, (uint64_t)1 << 47};
	dh_reach_from(dh_thread_self(), (uintptr_t)__builtin_frame_address(0), words,
		      DH_ARRAY_LEN(words), NULL, &reach);
	assert_int_equal(reach.len, 0);
}

static void more(void **state)
{
	(void)state;
	struct node *a = block();
	struct dh_reached g = {(uintptr_t)&variable[1], sizeof variable[1]};
	struct dh_reach globals = {&g, 1, 1};
	variable[1].next[0] = a;
	dh_reach_from(dh_thread_self(), (uintptr_t)__builtin_frame_address(0), NULL, 0,
		      &globals, &reach);
	assert_int_equal(reach.len, 2);
	assert_int_equal(reach.at[0].start, g.start);
	assert_int_equal(reach.at[0].size, g.size);
	assert_int_equal(reach.at[1].start, (uintptr_t)a);
}

/* ---- bounds ---- */

static void capped(void **state)
{
	(void)state;
	struct node *first = block(), *last = first;
	for (int i = 1; i < 20; i++)
		last = last->next[0] = block();
	uint64_t before = stats().capped;
	from(first);
	assert_int_equal(reach.len, 20);
	assert_int_equal(stats().capped, before);
	dh_flags.missing_cap = 7;
	from(first);
	dh_flags.missing_cap = DH_MISSING_CAP;
	assert_int_equal(reach.len, 7);
	assert_int_equal(stats().capped, before + 1);
}

/* ---- what is kept ---- */

static void kept(void **state)
{
	(void)state;
	struct node *a = block(), *b = block(), *c = block(), *d = block();
	a->next[0] = b;
	b->next[0] = c;
	from(a);
	uint64_t scans = stats().scans;
	from(a);
	assert_int_equal(stats().scans, scans + 1); /* what was given, only */
	set(&c->next[0], d);
	from(a);
	assert_int_equal(reach.len, 4);
	assert_true(has(d));
	set(&c->next[0], NULL);
	from(a);
	assert_int_equal(reach.len, 3);
	a->next[0] = NULL; /* not told: as by a function that nobody sees */
	from(a);
	assert_int_equal(reach.len, 1);
}

/* With missing-afresh nothing is. */
static void afresh(void **state)
{
	(void)state;
	struct node *a = block(), *b = block(), *c = block();
	a->next[0] = b;
	dh_flags.missing_afresh = true;
	from(a);
	uint64_t scans = stats().scans, recalled = stats().recalled;
	from(a);
	assert_int_equal(stats().scans, scans + 2);
	b->next[0] = c; /* not told */
	from(a);
	dh_flags.missing_afresh = false;
	assert_int_equal(stats().recalled, recalled);
	assert_true(has(c));
}

/* A write counts when it is done, not when it is told. */
static void settled(void **state)
{
	(void)state;
	struct node *a = block(), *b = block(), *c = block();
	a->next[0] = b;
	from(a);
	dh_reach_written((uintptr_t)&b->next[0], sizeof(void *));
	from(a); /* by another thread: too early */
	b->next[0] = c;
	dh_reach_settle();
	from(a);
	assert_true(has(c));
}

/* A large one that is given is not looked at each time; a write to its end counts. */
static void large(void **state)
{
	(void)state;
	enum { COUNT = 10000 };
	struct node **at = dh_heap_alloc_zero(COUNT * sizeof *at, 0), *a = block();
	from(at);
	uint64_t scans = stats().scans;
	from(at);
	assert_int_equal(stats().scans, scans);
	set(&at[COUNT - 1], a);
	from(at);
	assert_int_equal(reach.len, 2);
	assert_true(has(a));
}

/* ---- random graphs ---- */

enum { NODES = 40 };

static void mark(struct node **nodes, const struct node *p, bool *marked)
{
	for (int i = 0; i < NODES; i++) {
		if (nodes[i] != p || marked[i])
			continue;
		marked[i] = true;
		for (int k = 0; k < 3; k++)
			mark(nodes, p->next[k], marked);
	}
}

static void random_graphs(void **state)
{
	(void)state;
	struct node *nodes[NODES];
	struct dice d = {7};
	for (int i = 0; i < NODES; i++)
		nodes[i] = block();
	for (int round = 0; round < 2000; round++) {
		bool marked[NODES] = {false};
		size_t count = 0;
		for (uint32_t n = dice_roll(&d, 4); n > 0; n--)
			set(&nodes[dice_roll(&d, NODES)]->next[dice_roll(&d, 3)],
			    dice_roll(&d, 3) ? NULL : nodes[dice_roll(&d, NODES)]);
		const struct node *start = nodes[dice_roll(&d, NODES)];
		dh_reach_settle();
		from(start);
		mark(nodes, start, marked);
		for (int i = 0; i < NODES; i++) {
			assert_int_equal(has(nodes[i]), marked[i]);
			count += marked[i];
		}
		assert_int_equal(reach.len, count);
	}
	assert_true(stats().recalled > stats().scans / 4);
}

static int add(struct dl_phdr_info *m, size_t size, void *unused)
{
	(void)size, (void)unused;
	dh_globals_add(m);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	dh_flags_default(&dh_flags);
	dh_threads_init();
	dl_iterate_phdr(add, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(blocks),  cmocka_unit_test(variables),
	    cmocka_unit_test(guesses), cmocka_unit_test(nowhere),
	    cmocka_unit_test(more),    cmocka_unit_test(capped),
	    cmocka_unit_test(kept),    cmocka_unit_test(settled),
	    cmocka_unit_test(large),   cmocka_unit_test(random_graphs),
	    cmocka_unit_test(afresh),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
