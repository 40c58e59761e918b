/* SPDX-License-Identifier: MIT */
/*
 * The update list of Goldilocks: cells in the order in which they were appended, each
 * with a position that it keeps. Any number of threads may append and read at once:
 *
 *   append    puts the cell into the first empty place by compare-and-swap, then moves
 *             the tail behind it. Who finds the place taken moves the tail himself, so
 *             that nobody waits for one that was interrupted between the two.
 *   read      any cell before a tail that was seen; such a cell is complete and fixed.
 *   reclaim   by one who is alone: no other thread uses the list meanwhile, nor keeps
 *             anything of it but positions. What keeps others away is the caller's.
 *
 * Places are in segments, which do not move, and which are found through a ring of
 * pointers. A segment that has been reclaimed is used again. A lock is taken once in
 * DH_GOLDI_SEGMENT cells, to add a segment.
 *
 * Called by goldi*.c. Allocates.
 */
#ifndef DH_ENGINES_GOLDI_LIST_H
#define DH_ENGINES_GOLDI_LIST_H

#include "base/lock.h"
#include "base/vec.h"

enum { DH_GOLDI_SEGMENT = 4096 }; /* cells */

struct dh_goldi_cell {
	uint32_t from, to; /* neither is 0 */
};

struct dh_goldi_ring; /* segment number modulo its size -> segment */

struct dh_goldi_list {
	uint64_t tail;		    /* atomic: all cells before it are there */
	uint64_t base;		    /* those before it are reclaimed */
	struct dh_goldi_ring *ring; /* atomic; replaced by a larger one under the lock */
	struct dh_lock lock;	    /* protects the following */
	struct dh_vec(
	    struct dh_goldi_ring *) outgrown; /* others may still look at them */
	struct dh_vec(uint64_t *) spare;      /* segments */
};

/* The list has one ring from the beginning. */
void dh_goldi_list_init(struct dh_goldi_list *l);
void dh_goldi_list_free(struct dh_goldi_list *l);

/* Adds a cell; returns its position. */
uint64_t dh_goldi_list_append(struct dh_goldi_list *l, struct dh_goldi_cell cell);

/* The same for one who is alone with the list at all times. */
uint64_t dh_goldi_list_push(struct dh_goldi_list *l, struct dh_goldi_cell cell);

/* The places from this position on, base <= position < tail, of which *count are in one
 * piece and before the tail. */
const uint64_t *dh_goldi_list_piece(const struct dh_goldi_list *l, uint64_t position,
				    size_t *count);

/* Gives the oldest cells back; alone. */
void dh_goldi_list_reclaim(struct dh_goldi_list *l, size_t count);

DH_INLINE uint64_t dh_goldi_list_tail(const struct dh_goldi_list *l)
{
	/* Acquire: the cells before it are complete. */
	return __atomic_load_n(&l->tail, __ATOMIC_ACQUIRE);
}

DH_INLINE size_t dh_goldi_list_len(const struct dh_goldi_list *l)
{
	return (size_t)(dh_goldi_list_tail(l) - l->base);
}

DH_INLINE struct dh_goldi_cell dh_goldi_cell_of(const uint64_t *place)
{
	/* Relaxed: the tail that was seen came after it. */
	uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
	return (struct dh_goldi_cell){(uint32_t)(word >> 32), (uint32_t)word};
}

#endif
