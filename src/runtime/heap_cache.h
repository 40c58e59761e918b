/* SPDX-License-Identifier: MIT */
/*
 * Small blocks at hand: each thread has a cache with a ring per class. Freed blocks
 * enter at the back, blocks to be given out leave at the front. The last `hold` blocks
 * in a ring are not given out while the common stock (heap_stock.h) has others: so a
 * freed block rests for at least that many frees of its class, and a use of it by
 * another thread meets the record that the free has left.
 *
 * Blocks that lie among those of another thread's (heap_stock.h) have a ring apart, from which
 * they go back to the stock.
 *
 * The cache of a thread that has ended is taken over, with what is in it, by one that
 * starts. Threads without state share one under a lock.
 *
 * Callers are `inside` (thread.h).
 */
#ifndef DH_RUNTIME_HEAP_CACHE_H
#define DH_RUNTIME_HEAP_CACHE_H

#include "runtime/heap_stock.h"

struct dh_heap_ring {
	dh_block *at;
	uint32_t head, count;
	uint32_t room; /* a power of two */
	uint32_t hold;
};

/* What a cache has of one class. */
struct dh_heap_shelf {
	struct dh_heap_ring own, foreign;
	struct dh_heap_home home;
};

struct dh_heap_cache {
	struct dh_heap_cache *next;
	struct dh_heap_shelf shelves[DH_CLASSES];
	dh_block blocks[];
};

extern __thread struct dh_heap_cache *dh_heap_mine
    __attribute__((tls_model("initial-exec")));

/* The slow ends of what follows. */
struct dh_heap_cache *dh_heap_cache_slow(void);
void dh_heap_cache_unlock(void);
void dh_heap_shelf_fill(struct dh_heap_shelf *f, unsigned class);
void dh_heap_ring_drain(struct dh_heap_ring *r, unsigned class);

/* The cache to use, to be given back by dh_heap_cache_done(); NULL where there is no
 * memory for one. */
DH_INLINE struct dh_heap_cache *dh_heap_cache_get(void)
{
	return DH_LIKELY(dh_heap_mine != NULL) ? dh_heap_mine : dh_heap_cache_slow();
}

DH_INLINE void dh_heap_cache_done(const struct dh_heap_cache *c)
{
	if (DH_UNLIKELY(c != dh_heap_mine))
		dh_heap_cache_unlock();
}

/* A block, or 0 where there is no memory. */
DH_INLINE dh_block dh_heap_shelf_take(struct dh_heap_shelf *f, unsigned class)
{
	struct dh_heap_ring *r = &f->own;
	if (DH_UNLIKELY(r->count <= r->hold))
		dh_heap_shelf_fill(f, class);
	if (DH_UNLIKELY(!r->count))
		return 0;
	r->count--;
	return r->at[r->head++ & (r->room - 1)];
}

DH_INLINE void dh_heap_shelf_give(struct dh_heap_shelf *f, unsigned class,
				  struct dh_slab *s, uint64_t index)
{
	struct dh_heap_ring *r =
	    dh_stock_at_home(s, index, &f->home) ? &f->own : &f->foreign;
	if (DH_UNLIKELY(r->count == r->room))
		dh_heap_ring_drain(r, class);
	r->at[(r->head + r->count++) & (r->room - 1)] = dh_block_make(s, index);
}

/* Takes, or releases, all locks here, for fork. */
void dh_heap_cache_lock_all(void);
void dh_heap_cache_unlock_all(void);

#endif
