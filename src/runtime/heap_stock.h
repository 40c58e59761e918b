/* SPDX-License-Identifier: MIT */
/*
 * The common stock of small blocks that are in nobody's hands, class by class. Threads
 * take from it and give to it many at a time (heap.c). Each class has its lock.
 */
#ifndef DH_RUNTIME_HEAP_STOCK_H
#define DH_RUNTIME_HEAP_STOCK_H

#include "runtime/heap_slab.h"

/* A block by its slab and index, in one word. */
typedef uint64_t dh_block;

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

/* Up to n blocks; returns how many, 0 where there is no memory. */
unsigned dh_stock_take(unsigned class, dh_block *out, unsigned n);

/* Takes n blocks back. */
void dh_stock_give(unsigned class, const dh_block *in, unsigned n);

/* Takes, or releases, the locks of all classes. */
void dh_stock_lock_all(void);
void dh_stock_unlock_all(void);

#endif
