/* SPDX-License-Identifier: MIT */
/*
 * The calling-context tree: every distinct call stack that occurs is one node,
 * (node of the caller, pc of the call), and (node, pc of an access) is interned
 * to a 32-bit site, which is what the shadow keeps. A whole stack is then a walk
 * to the root: exact, with nothing to overflow. Threads move through the tree
 * with a cursor (cursor.h).
 *
 * Glossary
 *   node     a calling context. DH_CONTEXT_ROOT is the empty stack.
 *   site     a pc in a context; 0 is "unknown"
 *   fold     recursion would make a node per level, and recursion through two
 *            call sites one per call. So once a call's pc is on the stack
 *            `repeats` times, calling there again leads back to the nearest node
 *            with that pc. The stacks below it are right but for the number of
 *            rounds, and dh_context_is_folded() tells. Where recursion has made a
 *            thousand nodes, as a walk through a tree does, half as many times are
 *            enough, and so on down to one. The way back is not the
 *            parent then: leaving a call is the cursor's business, which
 *            remembers where it came from.
 *   lost     there is room for so many nodes and sites, as set at the start. When
 *            the nodes are used up, new contexts become DH_CONTEXT_LOST, whose
 *            stack is the single entry DH_PC_LOST; contexts that exist still
 *            work. When the sites are used up, new ones are site 0. Both are
 *            counted.
 *
 * Concurrency: any number of threads at once, also in signal handlers; no locks,
 * no allocator, except in new and free. Numbers may be handed from thread to
 * thread through memory if they are read back with an acquire load (any load on
 * x86).
 */
#ifndef DH_CONTEXT_CONTEXT_H
#define DH_CONTEXT_CONTEXT_H

#include "context/pairs.h"

#define DH_CONTEXT_ROOT ((uint32_t)1)
#define DH_CONTEXT_LOST ((uint32_t)2)
#define DH_PC_LOST	UINT64_MAX /* in a stack: frames from here outward are lost */
#define DH_SITE_UNKNOWN ((uint32_t)0)

/* Children that a node has at hand. */
enum { DH_CONTEXT_WAYS_LOG = 2, DH_CONTEXT_WAYS = 1 << DH_CONTEXT_WAYS_LOG };

struct dh_context_node {
	struct dh_pair pair; /* owner is the parent; flags: see context.c */
	/* Atomic: by dh_context_way(), where the last call from here led. In an alias
	 * (a call that is folded) the first is the node it leads to. */
	uint32_t child[DH_CONTEXT_WAYS];
};
_Static_assert(sizeof(struct dh_context_node) == 32, "two nodes in a cache line");

/* 0 anywhere means the default. */
struct dh_context_config {
	uint32_t nodes;	  /* most contexts; default 4 Mi */
	uint32_t sites;	  /* most sites; default 4 Mi */
	uint32_t repeats; /* rounds of recursion told apart, at most; default 8 */
};

struct dh_context_tree {
	struct dh_pairs nodes; /* of struct dh_context_node */
	struct dh_pairs sites; /* of struct dh_pair; owner is the node */
	uint32_t repeats;
	uint64_t lost_nodes; /* atomic */
	uint64_t lost_sites; /* atomic */
	uint64_t folded;     /* atomic */
	uint64_t recursive;  /* atomic: nodes whose pc is further up the stack too */
};

struct dh_context_stats {
	uint64_t nodes;	     /* contexts, the root included */
	uint64_t sites;	     /* the unknown one not included */
	uint64_t folded;     /* calls that lead back up the stack */
	uint64_t lost_nodes; /* calls that found no room */
	uint64_t lost_sites; /* sites asked for that found no room */
	uint64_t bytes;
};

struct dh_context_tree *dh_context_tree_new(const struct dh_context_config *config);
void dh_context_tree_free(struct dh_context_tree *t);

DH_INLINE struct dh_context_node *dh_context_node_at(const struct dh_context_tree *t,
						     uint32_t node)
{
	return (struct dh_context_node *)t->nodes.base + node;
}

/* Calls from one function return to addresses a few bytes apart: spread them. */
DH_INLINE unsigned dh_context_way(uint64_t pc)
{
	return (uint32_t)pc * 0x9e3779b1u >> (32 - DH_CONTEXT_WAYS_LOG);
}

/* The part of dh_context_enter() for calls that are not at hand. */
uint32_t dh_context_enter_slow(struct dh_context_tree *t, uint32_t node, uint64_t pc);

/* The context of a call at pc (any but DH_PC_LOST) in context node. Never fails:
 * DH_CONTEXT_LOST where there is no room, and from there. */
DH_INLINE uint32_t dh_context_enter(struct dh_context_tree *t, uint32_t node, uint64_t pc)
{
	/* Acquire: the child was complete before it was put here. A child at hand was
	 * called from here or is what such a call folds to; in both cases its pc is
	 * the call's, so the pc alone tells. Empty ways point to number 0, whose pc
	 * no call has. */
	uint32_t *way = &dh_context_node_at(t, node)->child[dh_context_way(pc)];
	uint32_t child = __atomic_load_n(way, __ATOMIC_ACQUIRE);
	if (DH_LIKELY(dh_context_node_at(t, child)->pair.pc == pc))
		return child;
	return dh_context_enter_slow(t, node, pc);
}

/* The context that a node was first entered from; 0 for the root. */
uint32_t dh_context_parent(const struct dh_context_tree *t, uint32_t node);

/* The pc of the call that led to the node; 0 for the root. */
uint64_t dh_context_pc(const struct dh_context_tree *t, uint32_t node);

/* Does the node also stand for deeper rounds of a recursion? */
bool dh_context_is_folded(const struct dh_context_tree *t, uint32_t node);

/* The site of a pc in a context; DH_SITE_UNKNOWN where there is no room. */
uint32_t dh_site_make(struct dh_context_tree *t, uint32_t node, uint64_t pc);

/* Context and pc of a site; 0 for the unknown site. */
uint32_t dh_site_node(const struct dh_context_tree *t, uint32_t site);
uint64_t dh_site_pc(const struct dh_context_tree *t, uint32_t site);

/* The stack of a site, innermost first: its pc, then the pcs of the calls. Fills at
 * most max entries and returns how many there are in all; 0 for the unknown site. */
uint32_t dh_context_walk(const struct dh_context_tree *t, uint32_t site, uint64_t *pcs,
			 uint32_t max);

void dh_context_get_stats(const struct dh_context_tree *t, struct dh_context_stats *s);

#endif
