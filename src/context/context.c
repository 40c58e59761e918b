/* SPDX-License-Identifier: MIT */
/*
 * The calling-context tree of context.h.
 *
 * Nodes and sites are interned pairs (pairs.h). Three kinds of nodes:
 *   real      a context
 *   alias     a call that recursion folds: DH_PAIR_ALIAS is set, child[0] is the
 *             real node it leads to, with the same pc. An alias only keeps the
 *             decision; no cursor ever stands on one.
 *   number 0  never a context: where empty ways point to. Its pc is DH_PC_LOST,
 *             which no call has.
 * DH_PAIR_FOLDED is set in a real node once an alias leads to it.
 *
 * Whether a call is folded is decided once, by who puts the pair of it into the table.
 */
#include "context/context.h"
#include "base/mem.h"

enum {
	DEFAULT_NODES = 4 << 20,
	DEFAULT_SITES = 4 << 20,
	DEFAULT_REPEATS = 8,
	FEW_ROUNDS = 1024, /* nodes of recursion, before fewer rounds are told apart */
};

static uint32_t or_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

/* A counter shown to the user: no order with anything else is needed. */
static void count_one(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static uint32_t flags_of(const struct dh_context_node *n)
{
	return __atomic_load_n(&n->pair.link, __ATOMIC_RELAXED);
}

struct dh_context_tree *dh_context_tree_new(const struct dh_context_config *config)
{
	struct dh_context_tree *t = dh_mem_alloc(sizeof *t);
	uint32_t nodes = or_default(config->nodes, DEFAULT_NODES);
	dh_pairs_init(&t->nodes, DH_MAX(nodes, DH_CONTEXT_LOST),
		      sizeof(struct dh_context_node));
	dh_pairs_init(&t->sites, or_default(config->sites, DEFAULT_SITES),
		      sizeof(struct dh_pair));
	t->repeats = or_default(config->repeats, DEFAULT_REPEATS);

	uint32_t root = dh_pairs_reserve(&t->nodes), lost = dh_pairs_reserve(&t->nodes);
	DH_CHECK(root == DH_CONTEXT_ROOT && lost == DH_CONTEXT_LOST);
	dh_context_node_at(t, 0)->pair.pc = DH_PC_LOST;
	dh_pairs_publish(&t->nodes, root, 0, 0, 0);
	dh_pairs_publish(&t->nodes, lost, DH_CONTEXT_ROOT, DH_PC_LOST, 0);
	return t;
}

void dh_context_tree_free(struct dh_context_tree *t)
{
	dh_pairs_free(&t->nodes);
	dh_pairs_free(&t->sites);
	dh_mem_free(t, sizeof *t);
}

/* ---- nodes ---- */

/* How many rounds of a recursion are told apart now. A walk through a binary tree would
 * make 48,619 nodes with eight, and each of them as many sites as the function has. */
static uint32_t rounds_apart(const struct dh_context_tree *t)
{
	uint32_t rounds = t->repeats;
	uint64_t many = __atomic_load_n(&t->recursive, __ATOMIC_RELAXED) / FEW_ROUNDS;
	for (; many && rounds > 1; many /= 2)
		rounds /= 2;
	return rounds;
}

/* The node that a call at pc from node folds to, or 0 where it is to be a context
 * of its own. */
static uint32_t fold_target(struct dh_context_tree *t, uint32_t node, uint64_t pc)
{
	uint32_t nearest = 0, seen = 0, rounds = rounds_apart(t);
	for (; node != DH_CONTEXT_ROOT; node = dh_context_parent(t, node)) {
		if (dh_context_node_at(t, node)->pair.pc != pc)
			continue;
		if (!nearest)
			nearest = node;
		if (++seen == rounds)
			return nearest;
	}
	if (seen)
		count_one(&t->recursive);
	return 0;
}

/* The pair (node, pc), made; 0 where there is no room. */
static DH_COLD uint32_t add_node(struct dh_context_tree *t, uint32_t node, uint64_t pc)
{
	uint32_t id = dh_pairs_reserve(&t->nodes);
	if (!id)
		return 0;
	uint32_t target = fold_target(t, node, pc);
	if (!target)
		return dh_pairs_publish(&t->nodes, id, node, pc, 0);
	dh_context_node_at(t, id)->child[0] = target;
	__atomic_fetch_or(&dh_context_node_at(t, target)->pair.link, DH_PAIR_FOLDED,
			  __ATOMIC_RELAXED);
	uint32_t winner = dh_pairs_publish(&t->nodes, id, node, pc, DH_PAIR_ALIAS);
	if (winner == id)
		count_one(&t->folded);
	return winner;
}

DH_NOINLINE uint32_t dh_context_enter_slow(struct dh_context_tree *t, uint32_t node,
					   uint64_t pc)
{
	uint32_t child = 0;
	if (node != DH_CONTEXT_LOST)
		child = dh_pairs_find(&t->nodes, node, pc);
	if (!child && node != DH_CONTEXT_LOST)
		child = add_node(t, node, pc);
	if (!child) {
		count_one(&t->lost_nodes);
		return DH_CONTEXT_LOST;
	}
	const struct dh_context_node *n = dh_context_node_at(t, child);
	if (flags_of(n) & DH_PAIR_ALIAS)
		child = n->child[0];
	/* Release: hands on the child's contents. The last to call wins the way. */
	__atomic_store_n(&dh_context_node_at(t, node)->child[dh_context_way(pc)], child,
			 __ATOMIC_RELEASE);
	return child;
}

uint32_t dh_context_parent(const struct dh_context_tree *t, uint32_t node)
{
	return dh_context_node_at(t, node)->pair.owner;
}

uint64_t dh_context_pc(const struct dh_context_tree *t, uint32_t node)
{
	return dh_context_node_at(t, node)->pair.pc;
}

bool dh_context_is_folded(const struct dh_context_tree *t, uint32_t node)
{
	return flags_of(dh_context_node_at(t, node)) & DH_PAIR_FOLDED;
}

/* ---- sites ---- */

uint32_t dh_site_make(struct dh_context_tree *t, uint32_t node, uint64_t pc)
{
	uint32_t site = dh_pairs_find(&t->sites, node, pc);
	if (DH_LIKELY(site))
		return site;
	site = dh_pairs_reserve(&t->sites);
	if (!site) {
		count_one(&t->lost_sites);
		return DH_SITE_UNKNOWN;
	}
	return dh_pairs_publish(&t->sites, site, node, pc, 0);
}

static const struct dh_pair *site_at(const struct dh_context_tree *t, uint32_t site)
{
	static const struct dh_pair unknown;
	return site == DH_SITE_UNKNOWN ? &unknown : dh_pairs_at(&t->sites, site);
}

uint32_t dh_site_node(const struct dh_context_tree *t, uint32_t site)
{
	return site_at(t, site)->owner;
}

uint64_t dh_site_pc(const struct dh_context_tree *t, uint32_t site)
{
	return site_at(t, site)->pc;
}

uint32_t dh_context_walk(const struct dh_context_tree *t, uint32_t site, uint64_t *pcs,
			 uint32_t max)
{
	if (site == DH_SITE_UNKNOWN)
		return 0;
	uint32_t depth = 0;
	uint64_t pc = dh_site_pc(t, site);
	uint32_t node = dh_site_node(t, site);
	for (;; node = dh_context_parent(t, node)) {
		if (depth < max)
			pcs[depth] = pc;
		depth++;
		if (node == DH_CONTEXT_ROOT)
			return depth;
		pc = dh_context_pc(t, node);
	}
}

void dh_context_get_stats(const struct dh_context_tree *t, struct dh_context_stats *s)
{
	s->folded = __atomic_load_n(&t->folded, __ATOMIC_RELAXED);
	s->nodes = __atomic_load_n(&t->nodes.count, __ATOMIC_RELAXED) - s->folded - 1;
	s->sites = __atomic_load_n(&t->sites.count, __ATOMIC_RELAXED);
	s->lost_nodes = __atomic_load_n(&t->lost_nodes, __ATOMIC_RELAXED);
	s->lost_sites = __atomic_load_n(&t->lost_sites, __ATOMIC_RELAXED);
	s->bytes = sizeof *t + dh_pairs_bytes(&t->nodes) + dh_pairs_bytes(&t->sites);
}
