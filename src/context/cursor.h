/* SPDX-License-Identifier: MIT */
/*
 * A thread's place in the calling-context tree. Entering a function moves it to a
 * child, leaving it moves it back to where it was entered from, whatever the tree
 * did with the call (a new context, a fold, a lost one): the cursor keeps the
 * nodes on its way, one word per frame, so enter and exit always balance.
 *
 * There are places for a fixed number of frames, so that nothing has to grow in
 * the middle of the program. Frames deeper than that are DH_CONTEXT_LOST, and are
 * right again when the stack is back within.
 *
 * Belongs to one thread. A signal handler may interrupt any function here at any
 * instruction and use the same cursor, if it leaves it at the depth it found: depth
 * and node change together, in one store, and all that a handler can write over
 * meanwhile is the place that was just written, with the same value.
 */
#ifndef DH_CONTEXT_CURSOR_H
#define DH_CONTEXT_CURSOR_H

#include "base/mem.h"
#include "context/context.h"

enum { DH_CURSOR_FRAMES = 1 << 16 }; /* default: 256 KiB, in use as far as needed */

struct dh_cursor {
	uint64_t state;	 /* depth << 32 | node; atomic for the sake of handlers */
	uint32_t places; /* contexts deeper than this are lost */
	uint32_t *at;	 /* by depth: the node there, while the cursor is deeper */
};

/* A cursor at the root, for stacks of `frames` frames (0: the default). Allocates. */
static inline void dh_cursor_open(struct dh_cursor *c, uint32_t frames)
{
	c->state = DH_CONTEXT_ROOT;
	c->places = (frames ? frames : DH_CURSOR_FRAMES) + 1;
	c->at = dh_mem_alloc((size_t)c->places * sizeof *c->at);
}

static inline void dh_cursor_close(struct dh_cursor *c)
{
	dh_mem_free(c->at, (size_t)c->places * sizeof *c->at);
	c->at = NULL;
}

/* The present context. */
DH_INLINE uint32_t dh_cursor_node(const struct dh_cursor *c)
{
	return (uint32_t)__atomic_load_n(&c->state, __ATOMIC_RELAXED);
}

/* How many frames were entered and not left. */
DH_INLINE uint32_t dh_cursor_depth(const struct dh_cursor *c)
{
	return (uint32_t)(__atomic_load_n(&c->state, __ATOMIC_RELAXED) >> 32);
}

DH_INLINE void dh_cursor_move(struct dh_cursor *c, uint32_t depth, uint32_t node)
{
	/* The place is written before the state, as a handler in this thread sees it;
	 * no other thread looks, so a fence for the compiler is enough. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&c->state, (uint64_t)depth << 32 | node, __ATOMIC_RELAXED);
}

/* A call at pc. */
DH_INLINE void dh_cursor_enter(struct dh_context_tree *t, struct dh_cursor *c,
			       uint64_t pc)
{
	uint64_t state = __atomic_load_n(&c->state, __ATOMIC_RELAXED);
	uint32_t depth = (uint32_t)(state >> 32), node = (uint32_t)state;
	if (DH_LIKELY(depth < c->places))
		c->at[depth] = node;
	if (DH_UNLIKELY(depth + 1 >= c->places))
		node = DH_CONTEXT_LOST;
	dh_cursor_move(c, depth + 1, dh_context_enter(t, node, pc));
}

/* Back to a depth that the cursor was at before: after an exception or a longjmp.
 * The present depth or a greater one changes nothing. */
DH_INLINE void dh_cursor_unwind(struct dh_cursor *c, uint32_t depth)
{
	if (DH_LIKELY(depth < dh_cursor_depth(c)))
		dh_cursor_move(c, depth,
			       DH_LIKELY(depth < c->places) ? c->at[depth]
							    : DH_CONTEXT_LOST);
}

/* The end of a call. At the root it stays there: a thread may leave functions that
 * it entered before it was watched. */
DH_INLINE void dh_cursor_exit(struct dh_cursor *c)
{
	uint32_t depth = dh_cursor_depth(c);
	if (DH_LIKELY(depth > 0))
		dh_cursor_unwind(c, depth - 1);
}

#endif
