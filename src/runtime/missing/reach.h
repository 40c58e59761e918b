/* SPDX-License-Identifier: MIT */
/*
 * What a function can reach from its arguments: blocks of the heap, variables, and places
 * on stacks, and what can be reached from the words in these. Nobody knows which words
 * are addresses: all that could be one are taken for one.
 *
 * What a block or variable leads to is found out once, and again after the program has
 * written to it (dh_reach_written). Writes that are not seen, by the functions
 * themselves, count for what they are given directly: that is looked at each time.
 *
 * Sizes: a block and a variable that has a symbol count as a whole. For everything else
 * (stacks, mappings, variables of a stripped program) the size is a guess: from the
 * address to the end of the frame, but at most DH_REACH_GUESS bytes. Since a guess may
 * be wrong it leads to blocks and variables only, not to other guesses.
 *
 * Concurrency: any thread; one lock inside. Callers are `inside` the runtime. Allocates.
 */
#ifndef DH_RUNTIME_MISSING_REACH_H
#define DH_RUNTIME_MISSING_REACH_H

#include "base/vec.h"
#include "runtime/thread.h"

enum {
	DH_REACH_GUESS = 256,
	DH_REACH_SCAN = 1 << 20, /* bytes of an object that are looked at */
	DH_REACH_FRESH = 4096,	 /* larger ones are not looked at again each time */
	DH_REACH_ASK = 64,	 /* times that the kernel is asked, for one call */
};

/* Bytes [start, start + size). */
struct dh_reached {
	uintptr_t start;
	size_t size;
};
struct dh_reach dh_vec(struct dh_reached);

/* What so many words lead to, and then each of what `more` (may be NULL) has, in the
 * order of distance; out is emptied first. sp is the stack pointer of the caller. At most
 * as many as the option missing-cap says. */
void dh_reach_from(struct dh_self *t, uintptr_t sp, const uint64_t *words, size_t count,
		   const struct dh_reach *more, struct dh_reach *out);

struct dh_reach_stats {
	uint64_t objects;  /* reached, over all calls */
	uint64_t scans;	   /* objects looked at */
	uint64_t recalled; /* objects that were known already */
	uint64_t capped;   /* calls that reach more than was told */
};
void dh_reach_get_stats(struct dh_reach_stats *s);

/* ---- writes ---- */

/* A write is told before it is done: so the last one of each thread counts again with the
 * next thing that the thread does. */

enum { DH_STAMP_BITS = 16, DH_STAMP_LINE_BITS = 8 };

/* When something was last written in a line of memory, by hash. Lines that share a place
 * are looked at more often than need be. All atomic. */
extern uint32_t dh_stamps[1 << DH_STAMP_BITS];
extern uint32_t dh_stamp_now; /* rises with each look at an object; 0: nobody asks */

DH_INLINE uint32_t *dh_stamp_of(uintptr_t line)
{
	return &dh_stamps[(line * 0x9e3779b97f4a7c15) >> (64 - DH_STAMP_BITS)];
}

/* The memory is about to be written, by the calling thread, or means something else from
 * now on. */
void dh_reach_written(uintptr_t addr, size_t size);

/* What the calling thread was about to write has been written. */
void dh_reach_settle(void);

#endif
