/* SPDX-License-Identifier: MIT */
/*
 * Interned pairs (owner, pc): every distinct pair is kept once and named by a
 * number from 1. The common part of the calling-context tree's nodes and sites
 * (context.h), and used by nothing else.
 *
 * Elements are in an array that is reserved as address space and gets memory behind
 * it as it fills; so they never move and an element is found by one multiplication.
 * All pairs are in one list, sorted by their hash; shortcuts lead into it, one or two
 * for each pair. There are more of them as the list grows, so a program with few
 * contexts touches few pages of theirs.
 *
 * Concurrency: any number of threads, also signal handlers: nothing here takes a
 * lock or enters the allocator but init and free. A pair is complete before the
 * compare-and-swap (release) that puts it into the list; readers follow the list by
 * acquire loads. Pairs are never removed.
 */
#ifndef DH_CONTEXT_PAIRS_H
#define DH_CONTEXT_PAIRS_H

#include "base/base.h"

#define DH_PAIR_MOST ((uint32_t)1 << 30)

enum {
	DH_PAIR_ALIAS = 1u << 31, /* flags in `link`; theirs is the user's meaning */
	DH_PAIR_FOLDED = 1u << 30,
};

struct dh_pair {
	uint64_t pc;
	uint32_t owner;
	uint32_t link; /* atomic: flags, and the next pair in the list (0: none) */
};
_Static_assert(sizeof(struct dh_pair) == 16, "four pairs in a cache line");

struct dh_pairs {
	char *base;	   /* element i is at base + i * stride and begins with a pair */
	size_t stride;	   /* power of two, >= sizeof(struct dh_pair) */
	uint32_t limit;	   /* numbers are below this */
	uint32_t next;	   /* atomic: lowest number never given */
	uint32_t count;	   /* atomic: pairs in the list */
	uint32_t level;	   /* atomic: 2^level shortcuts are in use, */
	uint32_t most;	   /* and at most so many levels */
	uint32_t *cuts;	   /* atomic: a tree of shortcuts (pairs.c), */
	uint32_t *found;   /* atomic: and a pair that was found by each, or 0 */
	size_t committed;  /* atomic: bytes from base on that can be used */
};

/* Room for `most` pairs (at most DH_PAIR_MOST); less where the kernel has not even
 * so much address space. */
void dh_pairs_init(struct dh_pairs *p, uint32_t most, size_t stride);
void dh_pairs_free(struct dh_pairs *p);

/* The element of a number. */
DH_INLINE void *dh_pairs_at(const struct dh_pairs *p, uint32_t id)
{
	return p->base + (size_t)id * p->stride;
}

/* The number of a pair, or 0. */
uint32_t dh_pairs_find(const struct dh_pairs *p, uint32_t owner, uint64_t pc);

/* A number for a new pair, whose element is zero, or 0 where there is no room. */
uint32_t dh_pairs_reserve(struct dh_pairs *p);

/* Puts the reserved number into the table as this pair. Returns the number of the
 * pair: another one where a thread was faster, and then the reserved one is gone
 * (numbers are not given back). */
uint32_t dh_pairs_publish(struct dh_pairs *p, uint32_t id, uint32_t owner, uint64_t pc,
			  uint32_t flags);

/* Bytes of memory behind the table. */
size_t dh_pairs_bytes(const struct dh_pairs *p);

#endif
