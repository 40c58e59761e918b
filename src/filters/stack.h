/* SPDX-License-Identifier: MIT */
/*
 * Inter-thread redundancy: for every (location, variable, kind, concurrency context)
 * a stack of the at most two threads that stand for all (Algorithm 2), and the
 * accesses of further threads, which are parked there until they may matter.
 *
 * Glossary
 *   context    the locks held, and a hash of the messages that the thread itself has
 *              sent and received, in order. Starting adds none (Figure 3.4b).
 *   member     a thread on a stack, with what it knew at its access
 *   diverged   said of a member that has published since its access: someone may be
 *              ordered after it by now
 *   park       hold an access back: not forwarded, not forgotten
 *   due        taken out of its place and about to be forwarded
 *
 * Invariant (P): where accesses are parked, the stack has two members, neither has
 * diverged, and the thread of each parked access has neither published nor learned
 * since. When an access is parked, moreover, its thread knows all that the members
 * knew. tree.c says why that makes it redundant, and calls the functions below before
 * (P) would break.
 *
 * Relations: (P) speaks of weak for `tree`, and of both for `tree-strict`.
 *
 * Numbers name stacks and parked accesses, from 1; 0 is none. Not for concurrent use.
 * Allocates.
 */
#ifndef DH_FILTERS_STACK_H
#define DH_FILTERS_STACK_H

#include "event/stream.h"
#include "filters/recall.h"

/* A place in a doubly linked list of numbers. */
struct dh_link {
	uint32_t prev;
	uint32_t next;
};

struct dh_member {
	uint32_t thread; /* its id + 1; 0: free */
	uint32_t frame;
	uint32_t published;
	bool listed; /* in its thread's list of stacks */
	struct dh_link link;
	struct dh_vc *know[DH_RELATIONS];
};

struct dh_stack_key {
	uint32_t site;
	uint32_t var;
	dh_lockset held;
	dh_lockset held_write;
	uint32_t write;
};

struct dh_stack {
	struct dh_stack_key key;
	uint32_t generation; /* of the variable; see guard.h */
	uint64_t messages;
	uint64_t hash; /* its key in the index */
	struct dh_member member[2];
	uint32_t first, last; /* parked here, in the order of their indices */
	bool live;
	bool recent; /* used since the hand passed */
};

struct dh_parked {
	struct dh_access access;
	struct dh_recall_key key; /* of its entry in the table of recall.h */
	uint32_t thread;	  /* id */
	uint32_t frame;
	uint32_t generation;
	uint32_t lock_steps; /* of its thread when it was parked */
	uint32_t stack;	     /* 0: it waits for the variable's next access (guard.h) */
	bool listed;	     /* false: due */
	struct dh_link mine; /* among those of its thread */
	struct dh_link here; /* among those of its stack */
};

/* What the filter keeps of a thread. */
struct dh_strand {
	uint64_t messages;   /* the hash of those it sent and received */
	uint32_t lock_steps; /* lock operations so far */
	bool forked;	     /* it alone has sent that message: its context is unique */
	uint32_t parked;     /* the first of its parked accesses */
	uint32_t stacks;     /* the first membership with parked accesses:
				stack number * 2 + place */
	struct dh_vc *copy;  /* of a bounded clock, for copy_version */
	uint32_t copy_version;
};

struct dh_stacks {
	struct dh_stream *stream;
	bool strict;
	struct dh_map index; /* hash -> stack */
	struct dh_vec(struct dh_stack) at;
	struct dh_vec(uint32_t) free;
	size_t len;
	uint32_t hand;
	struct dh_vec(struct dh_parked) parked;
	struct dh_vec(uint32_t) free_parked;
	struct dh_vec(struct dh_strand) strands; /* by thread id */
	struct dh_vec(uint32_t) due;		 /* taken out, to be forwarded */
};

void dh_stacks_init(struct dh_stacks *s, struct dh_stream *stream, bool strict);
void dh_stacks_free(struct dh_stacks *s);

/* The strand of a thread id, made when first asked for. Valid until the next call. */
struct dh_strand *dh_stacks_strand(struct dh_stacks *s, uint32_t thread);

/* The frame of a thread: equal numbers, same knowledge and no publication between. */
DH_INLINE uint32_t dh_stacks_frame(const struct dh_stacks *s, const struct dh_party *p)
{
	return p->know[DH_WEAK].version + (s->strict ? p->know[DH_STRONG].version : 0);
}

/* The stack for a key and messages, made where there is none; 0 where both of its
 * places are taken. Messages come and go, and a stack is of no more use once its members
 * have diverged; so the first place is that of the key alone, for whichever messages are
 * alive there, and only the second is that of key and messages. With `limit` stacks
 * there already, one is evicted: *evicted is raised, and what is parked there is due. */
uint32_t dh_stack_get(struct dh_stacks *s, const struct dh_stack_key *key,
		      uint64_t messages, uint32_t generation, size_t limit,
		      uint64_t *evicted);

enum dh_stack_verdict {
	DH_STACK_NEW,	 /* not redundant; t is on the stack now if there was a place */
	DH_STACK_REPEAT, /* t is on the stack with this frame already */
	DH_STACK_FULL,	 /* two others stand for it: (P) would hold for it */
};

/* Algorithm 2, with the conditions of (P). */
enum dh_stack_verdict dh_stack_judge(struct dh_stacks *s, uint32_t stack,
				     const struct dh_thread *t, uint32_t frame);

/* Parks an access of t, with its key; on no stack where `stack` is 0. */
uint32_t dh_stack_park(struct dh_stacks *s, uint32_t stack, const struct dh_thread *t,
		       const struct dh_recall_key *key, uint32_t generation,
		       const struct dh_access *a);

/* Makes due: one; all of a thread, which is about to publish or learn; all for which
 * (P) breaks when a thread publishes (of each stack, one takes the thread's place). */
void dh_stacks_due(struct dh_stacks *s, uint32_t parked);
void dh_stacks_due_mine(struct dh_stacks *s, uint32_t thread);
void dh_stacks_due_publish(struct dh_stacks *s, uint32_t thread);

/* Ends a parked access, due or not. */
void dh_stacks_unpark(struct dh_stacks *s, uint32_t parked);

#endif
