/* SPDX-License-Identifier: MIT */
/* The calling-context tree and its cursor, against a plain stack of pcs. */
#include "dice.h"
#include "base/mem.h"
#include "context/context.h"
#include "context/cursor.h"

#include <string.h>

static struct dh_context_tree *new_tree(uint32_t nodes, uint32_t sites, uint32_t repeats)
{
	struct dh_context_config c = {nodes, sites, repeats};
	return dh_context_tree_new(&c);
}

static struct dh_context_stats stats(const struct dh_context_tree *t)
{
	struct dh_context_stats s;
	dh_context_get_stats(t, &s);
	return s;
}

static void test_basics(void **state)
{
	(void)state;
	size_t before = dh_mem_in_use();
	struct dh_context_tree *t = new_tree(0, 0, 0);
	uint32_t a = dh_context_enter(t, DH_CONTEXT_ROOT, 0x1000);
	uint32_t b = dh_context_enter(t, a, 0x2000);
	uint32_t other = dh_context_enter(t, DH_CONTEXT_ROOT, 0x2000);
	assert_int_not_equal(b, other);
	assert_int_equal(dh_context_enter(t, DH_CONTEXT_ROOT, 0x1000), a);
	assert_int_equal(dh_context_enter(t, a, 0x2000), b);
	assert_int_equal(dh_context_parent(t, b), a);
	assert_int_equal(dh_context_parent(t, a), DH_CONTEXT_ROOT);
	assert_int_equal(dh_context_parent(t, DH_CONTEXT_ROOT), 0);
	assert_int_equal(dh_context_pc(t, b), 0x2000);

	uint32_t site = dh_site_make(t, b, 0x2040);
	assert_int_not_equal(site, DH_SITE_UNKNOWN);
	assert_int_equal(dh_site_make(t, b, 0x2040), site);
	assert_int_not_equal(dh_site_make(t, a, 0x2040), site);
	assert_int_equal(dh_site_node(t, site), b);
	assert_int_equal(dh_site_pc(t, site), 0x2040);
	uint64_t pcs[4] = {0};
	assert_int_equal(dh_context_walk(t, site, pcs, 4), 3);
	assert_int_equal(pcs[0], 0x2040);
	assert_int_equal(pcs[1], 0x2000);
	assert_int_equal(pcs[2], 0x1000);
	assert_int_equal(stats(t).nodes, 4);
	assert_int_equal(stats(t).sites, 2);
	dh_context_tree_free(t);
	assert_int_equal(dh_mem_in_use(), before);
}

static void test_walk_edges(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(0, 0, 0);
	uint64_t pcs[2] = {7, 7};
	assert_int_equal(dh_context_walk(t, DH_SITE_UNKNOWN, pcs, 2), 0);
	assert_int_equal(dh_site_node(t, DH_SITE_UNKNOWN), 0);
	assert_int_equal(dh_site_pc(t, DH_SITE_UNKNOWN), 0);
	uint32_t site = dh_site_make(t, DH_CONTEXT_ROOT, 5);
	assert_int_equal(dh_context_walk(t, site, pcs, 0), 1);
	assert_int_equal(pcs[0], 7);
	uint32_t node = DH_CONTEXT_ROOT;
	for (uint64_t pc = 1; pc <= 9; pc++)
		node = dh_context_enter(t, node, pc);
	site = dh_site_make(t, node, 10);
	assert_int_equal(dh_context_walk(t, site, pcs, 2), 10); /* more than fits */
	assert_int_equal(pcs[0], 10);
	assert_int_equal(pcs[1], 9);
	dh_context_tree_free(t);
}

/* pc 0 is a pc like others: not taken for an empty place. */
static void test_pc_zero(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(0, 0, 0);
	uint32_t a = dh_context_enter(t, DH_CONTEXT_ROOT, 0);
	assert_true(a > DH_CONTEXT_LOST);
	assert_int_equal(dh_context_enter(t, DH_CONTEXT_ROOT, 0), a);
	assert_int_equal(dh_context_parent(t, a), DH_CONTEXT_ROOT);
	dh_context_tree_free(t);
}

/* ---- random walks ---- */

enum { DEEPEST = 200 };

static void expect_stack(struct dh_context_tree *t, uint32_t node, const uint64_t *stack,
			 uint32_t depth)
{
	uint64_t pcs[DEEPEST + 1];
	uint32_t site = dh_site_make(t, node, 0xabc);
	assert_int_equal(dh_context_walk(t, site, pcs, DEEPEST + 1), depth + 1);
	assert_int_equal(pcs[0], 0xabc);
	for (uint32_t i = 0; i < depth; i++)
		assert_int_equal(pcs[1 + i], stack[depth - 1 - i]);
}

/* No recursion (the pcs differ by depth): the tree's stack is the stack, whole. */
static void test_random(void **state)
{
	(void)state;
	struct dice d = {11};
	struct dh_context_tree *t = new_tree(0, 0, 1);
	struct dh_cursor c;
	dh_cursor_open(&c, 0);
	uint64_t stack[DEEPEST];
	uint32_t depth = 0;
	for (int step = 0; step < 100000; step++) {
		if (depth < DEEPEST && dice_chance(&d, 50)) {
			stack[depth] = (depth + 1) * 0x100 + dice_roll(&d, 6) * 5;
			dh_cursor_enter(t, &c, stack[depth++]);
		} else if (depth > 0) {
			uint32_t to =
			    dice_chance(&d, 90) ? depth - 1 : dice_roll(&d, depth);
			if (to == depth - 1)
				dh_cursor_exit(&c);
			else
				dh_cursor_unwind(&c, to);
			depth = to;
		}
		assert_int_equal(dh_cursor_depth(&c), depth);
		if (step % 8 == 0)
			expect_stack(t, dh_cursor_node(&c), stack, depth);
	}
	assert_int_equal(stats(t).folded, 0);
	assert_int_equal(stats(t).lost_nodes, 0);
	dh_cursor_close(&c);
	dh_context_tree_free(t);
}

/* Equal stacks are equal nodes, unequal ones are not. */
static void test_interned(void **state)
{
	(void)state;
	enum { PCS = 9, DEPTH = 4, ALL = PCS * PCS * PCS * PCS };
	struct dh_context_tree *t = new_tree(0, 0, DEPTH);
	static uint32_t node_of[ALL];
	static uint8_t owner[PCS * PCS * PCS * PCS * 2 + 64]; /* node -> met */
	memset(owner, 0, sizeof owner);
	for (int round = 0; round < 2; round++) {
		for (uint32_t s = 0; s < ALL; s++) {
			uint32_t node = DH_CONTEXT_ROOT, rest = s;
			for (uint32_t i = 0; i < DEPTH; i++, rest /= PCS)
				node = dh_context_enter(t, node,
							(i + 4) << 20 | rest % PCS * 3);
			assert_true(node < sizeof owner);
			assert_true(round == 0 ? !owner[node] : node_of[s] == node);
			owner[node] = 1;
			node_of[s] = node;
		}
	}
	assert_int_equal(stats(t).nodes, 1 + 9 + 81 + 729 + 6561);
	dh_context_tree_free(t);
}

/* ---- recursion ---- */

static void test_fold(void **state)
{
	(void)state;
	enum { ROUNDS = 1000, KEPT = 8 };
	struct dh_context_tree *t = new_tree(0, 0, KEPT);
	struct dh_cursor c;
	dh_cursor_open(&c, 0);
	dh_cursor_enter(t, &c, 0x10);
	uint32_t start = dh_cursor_node(&c), at[2 * ROUNDS];
	for (int i = 0; i < 2 * ROUNDS; i++) { /* two functions that call each other */
		at[i] = dh_cursor_node(&c);
		dh_cursor_enter(t, &c, i % 2 ? 0x30 : 0x20);
	}
	assert_true(dh_context_is_folded(t, dh_cursor_node(&c)) ||
		    dh_context_is_folded(t, dh_context_parent(t, dh_cursor_node(&c))));
	assert_false(dh_context_is_folded(t, start));
	assert_int_equal(stats(t).nodes, 2 + 2 * KEPT);
	assert_int_equal(stats(t).folded, 1);
	assert_int_equal(stats(t).lost_nodes, 0);

	/* A call from the depth: inner frames are right, rounds are KEPT. */
	dh_cursor_enter(t, &c, 0x99);
	uint64_t pcs[64];
	uint32_t n =
	    dh_context_walk(t, dh_site_make(t, dh_cursor_node(&c), 0x9a), pcs, 64);
	assert_int_equal(n, 2 + 2 * KEPT + 1);
	assert_int_equal(pcs[0], 0x9a);
	assert_int_equal(pcs[1], 0x99);
	assert_int_equal(pcs[2], 0x30);
	assert_int_equal(pcs[3], 0x20);
	assert_int_equal(pcs[n - 1], 0x10);
	dh_cursor_exit(&c);

	for (int i = 2 * ROUNDS; i-- > 0;) { /* all the way back, node by node */
		dh_cursor_exit(&c);
		assert_int_equal(dh_cursor_node(&c), at[i]);
	}
	assert_int_equal(dh_cursor_node(&c), start);
	dh_cursor_close(&c);
	dh_context_tree_free(t);
}

static void fibonacci(struct dh_context_tree *t, struct dh_cursor *c, int n)
{
	uint32_t here = dh_cursor_node(c);
	for (int i = 1; i <= 2 && n > 1; i++) {
		dh_cursor_enter(t, c, 0x5000 + (uint64_t)i * 9);
		fibonacci(t, c, n - i);
		dh_cursor_exit(c);
		assert_int_equal(dh_cursor_node(c), here);
	}
}

/* Without folding this would be a node per call, 242784 of them. */
static void test_tree_recursion(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(0, 0, 4);
	struct dh_cursor c;
	dh_cursor_open(&c, 0);
	fibonacci(t, &c, 25);
	assert_in_range(stats(t).nodes, 10, 400);
	assert_int_equal(stats(t).lost_nodes, 0);
	dh_cursor_close(&c);
	dh_context_tree_free(t);
}

/* A node of a tree with so many children, and the call of each is a place of its own. */
static void visit(struct dh_context_tree *t, struct dh_cursor *c, int depth, int children)
{
	for (int i = 0; i < children && depth; i++) {
		dh_cursor_enter(t, c, 0x7000 + (uint64_t)i * 9);
		visit(t, c, depth - 1, children);
		dh_cursor_exit(c);
	}
}

/* The more nodes recursion makes, the fewer rounds are told apart. */
static void test_bushy_recursion(void **state)
{
	(void)state;
	for (int children = 2; children <= 4; children++) {
		struct dh_context_tree *t = new_tree(0, 0, 0);
		struct dh_cursor c;
		dh_cursor_open(&c, 0);
		visit(t, &c, children == 2 ? 18 : children == 3 ? 11 : 9, children);
		assert_in_range(stats(t).nodes, 1024, 8192);
		assert_int_equal(dh_cursor_node(&c), DH_CONTEXT_ROOT);

		/* Another recursion is folded at once. */
		for (int i = 0; i < 3; i++)
			dh_cursor_enter(t, &c, 0x20);
		if (children > 2)
			assert_true(dh_context_is_folded(t, dh_cursor_node(&c)));
		dh_cursor_close(&c);
		dh_context_tree_free(t);
	}
}

/* ---- losses ---- */

static void test_nodes_full(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(10, 0, 0);
	struct dh_cursor c;
	dh_cursor_open(&c, 0);
	uint32_t first = dh_context_enter(t, DH_CONTEXT_ROOT, 1);
	for (uint64_t pc = 1; pc <= 20; pc++)
		dh_cursor_enter(t, &c, pc);
	assert_int_equal(dh_cursor_node(&c), DH_CONTEXT_LOST);
	assert_int_equal(stats(t).nodes, 9); /* one of ten is the lost one */
	assert_int_equal(stats(t).lost_nodes, 12);
	uint64_t pcs[4];
	assert_int_equal(
	    dh_context_walk(t, dh_site_make(t, dh_cursor_node(&c), 77), pcs, 4), 2);
	assert_int_equal(pcs[0], 77);
	assert_int_equal(pcs[1], DH_PC_LOST);
	for (int i = 0; i < 19; i++)
		dh_cursor_exit(&c);
	assert_int_equal(dh_cursor_node(&c), first); /* back where there was room */
	dh_cursor_enter(t, &c, 2);
	assert_int_equal(dh_context_pc(t, dh_cursor_node(&c)),
			 2); /* what exists still works */
	assert_int_equal(dh_context_parent(t, dh_cursor_node(&c)), first);
	dh_cursor_close(&c);
	dh_context_tree_free(t);
}

static void test_sites_full(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(0, 5, 0);
	uint32_t first = dh_site_make(t, DH_CONTEXT_ROOT, 1);
	for (uint64_t pc = 2; pc <= 5; pc++)
		assert_int_not_equal(dh_site_make(t, DH_CONTEXT_ROOT, pc), 0);
	assert_int_equal(dh_site_make(t, DH_CONTEXT_ROOT, 6), DH_SITE_UNKNOWN);
	assert_int_equal(dh_site_make(t, DH_CONTEXT_ROOT, 1), first);
	assert_int_equal(stats(t).sites, 5);
	assert_int_equal(stats(t).lost_sites, 1);
	dh_context_tree_free(t);
}

static void test_cursor_deep(void **state)
{
	(void)state;
	struct dh_context_tree *t = new_tree(0, 0, 0);
	struct dh_cursor c;
	dh_cursor_open(&c, 3);
	uint32_t at[8];
	for (uint64_t pc = 0; pc < 8; pc++) {
		at[pc] = dh_cursor_node(&c);
		dh_cursor_enter(t, &c, pc + 1);
	}
	assert_int_equal(at[3] == DH_CONTEXT_LOST, false);
	assert_int_equal(at[4], DH_CONTEXT_LOST);
	assert_int_equal(stats(t).lost_nodes, 5);
	for (int i = 8; i-- > 0;) {
		dh_cursor_exit(&c);
		assert_int_equal(dh_cursor_node(&c), at[i]);
	}
	dh_cursor_exit(&c); /* one too many */
	assert_int_equal(dh_cursor_node(&c), DH_CONTEXT_ROOT);
	assert_int_equal(dh_cursor_depth(&c), 0);
	dh_cursor_unwind(&c, 3); /* to where it is not */
	assert_int_equal(dh_cursor_depth(&c), 0);
	dh_cursor_close(&c);
	dh_context_tree_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_basics),	   cmocka_unit_test(test_walk_edges),
	    cmocka_unit_test(test_pc_zero),	   cmocka_unit_test(test_random),
	    cmocka_unit_test(test_interned),	   cmocka_unit_test(test_fold),
	    cmocka_unit_test(test_bushy_recursion),
	    cmocka_unit_test(test_tree_recursion), cmocka_unit_test(test_nodes_full),
	    cmocka_unit_test(test_sites_full),	   cmocka_unit_test(test_cursor_deep),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
