/* SPDX-License-Identifier: MIT */
/*
 * The common stock of small blocks that are in nobody's hands, class by class. Threads
 * take from it and give to it many at a time (heap_cache.h). Each class has its lock.
 *
 * Who takes blocks has whole spans (heap_slab.h) for his own, and gets what comes back to these:
 * neighbours are in the hands of one thread then. If blocks of several threads lay side by side,
 * which they do soon where threads free what others have made, the lines of the cache with
 * them, their shadow and their facts would go from one processor to the other at each
 * allocation and each free. Larger blocks have lines of their own, and what threads keep of
 * these would be much: their spans are nobody's.
 */
#ifndef DH_RUNTIME_HEAP_STOCK_H
#define DH_RUNTIME_HEAP_STOCK_H

#include "runtime/heap_slab.h"

enum { DH_BLOCK_INDEX_BITS = 16 };

DH_INLINE dh_block dh_block_make(const struct dh_slab *s, uint64_t index)
{
	return (uint64_t)(uintptr_t)s << DH_BLOCK_INDEX_BITS | index;
}

DH_INLINE struct dh_slab *dh_block_slab(dh_block b)
{
	return (struct dh_slab *)(uintptr_t)(b >> DH_BLOCK_INDEX_BITS);
}

DH_INLINE uint32_t dh_block_index(dh_block b)
{
	return (uint32_t)b & ((1u << DH_BLOCK_INDEX_BITS) - 1);
}

enum { DH_HOMELY_MAX = 256 }; /* the largest blocks whose spans have homes */

/* Who has spans of a class. All zero at first; for good. Under the lock of the class. */
struct dh_heap_home {
	dh_block spans;		   /* the first of those with blocks to give; or 0 */
	struct dh_heap_home *next; /* all of them, in a ring; NULL: not yet known */
};

/* Up to n blocks; returns how many, 0 where there is no memory. */
unsigned dh_stock_take(unsigned class, struct dh_heap_home *home, dh_block *out, unsigned n);

/* Takes n blocks back. */
void dh_stock_give(unsigned class, const dh_block *in, unsigned n);

/* Is the block, which the caller has, in a span of this home's, or nobody's? It may be
 * another's the next moment. */
DH_INLINE bool dh_stock_at_home(const struct dh_slab *s, uint64_t index,
				const struct dh_heap_home *home)
{
	return s->size > DH_HOMELY_MAX ||
	       __atomic_load_n(&dh_span_of(s, index)->home, __ATOMIC_RELAXED) == home;
}

/* Takes, or releases, the locks of all classes. */
void dh_stock_lock_all(void);
void dh_stock_unlock_all(void);

#endif
