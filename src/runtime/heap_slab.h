/* SPDX-License-Identifier: MIT */
/*
 * The memory behind the heap: regions, slabs, and the way from an address to a block's
 * facts. Used by heap*.c only.
 *
 * Glossary
 *   region   1 MiB of memory at a multiple of that, cut into 64 units of 16 KiB.
 *            Regions are never given back whole; their pages are.
 *   slab     a run of units with blocks of one class; or one block of its own, a run of
 *            units (up to half a region), or a mapping of its own (huge)
 *   facts    what is known of a block, kept in the slab's head (heap_facts.h)
 *   head     struct dh_slab, away from the memory. Heads are used again for slabs of
 *            the same class only, so that who looks at one without a lock always finds
 *            a head of that shape.
 *   clean    a unit that is free and reads as zero, and whose shadow is empty
 *   worn     a slab whose shadow is not empty at first: its blocks have to be made
 *            fresh when they are first given out
 *   span     64 neighbouring blocks of a slab, which are mostly one thread's (heap_stock.h)
 *
 * Concurrency: one lock for regions and heads. dh_slab_of() takes none.
 */
#ifndef DH_RUNTIME_HEAP_SLAB_H
#define DH_RUNTIME_HEAP_SLAB_H

#include "base/lock.h"
#include "runtime/heap_class.h"

/* FRESH, or WORN in a worn slab, before the block is first given out. */
enum dh_block_state { DH_BLOCK_FRESH, DH_BLOCK_WORN, DH_BLOCK_LIVE, DH_BLOCK_FREED };

struct dh_heap_region; /* heap_region.h */

/* A block by its slab and index, in one word; a span by the first of its blocks. */
typedef uint64_t dh_block;

/* Under the lock of the class. */
struct dh_span {
	uint64_t free;		   /* one bit per block that came back, or is next */
	struct dh_heap_home *home; /* atomic: whose it is (heap_stock.c) */
	dh_block next, prev;	   /* in the list of its home's that have blocks to give; 0 at
				    * the ends */
};
enum { DH_SPAN_BITS = 6, DH_SPAN = 1 << DH_SPAN_BITS };

/* Classes beyond the small ones: slabs of one block. */
enum { DH_CLASS_RUN = DH_CLASSES, DH_CLASS_HUGE, DH_HEADS };

struct dh_slab {
	uintptr_t base; /* atomic; 0 while the head is spare */
	uint64_t magic; /* of the class, as are the next two: constant */
	uint32_t size;
	uint32_t blocks;
	uint32_t class; /* constant */
	uint32_t units; /* of its region */
	struct dh_heap_region *region;
	size_t room;  /* one block: bytes that it has place for */
	size_t asked; /* one block: atomic, the size asked for */
	bool zero;    /* the memory read as zero at first */
	bool worn;
	bool first;	/* there was no slab in any of its memory before */
	bool tailed;	/* each block ends with a word of the engine's (heap_class.h) */
	uint16_t kinds; /* places for kinds of facts, a power of two; 0: each block has a
			 * word. Constant */
	/* The rest is under the lock of the class (heap_stock.c), but for next, which is for
	 * spare heads. */
	struct dh_slab *next __attribute__((aligned(DH_CACHE_LINE)));
	uint32_t away;	       /* blocks that are not here */
	uint32_t fresh;	       /* blocks from here on were never given out */
	uint64_t *words;       /* atomic, no lock: what an engine keeps of the blocks
				* (racetrack/objects.h) if they have no tails; stays with
				* the head */
	struct dh_slab *older; /* the head that was made before it; constant */
	uint64_t *whole;       /* atomic: facts of blocks that have no kind; or NULL */
	uint64_t facts[]; /* atomic: dh_heap_find() looks at any time. Words of blocks; or
			   * kinds, and then the blocks' briefs */
	/* Before the head, the first one last: the spans, where there are many blocks */
};
_Static_assert(sizeof(struct dh_slab) == 2 * DH_CACHE_LINE, "what is read most is first");

enum { DH_KINDS_MOST = 256 };

DH_INLINE uint16_t *dh_slab_briefs(const struct dh_slab *s)
{
	return (uint16_t *)&s->facts[s->kinds];
}

/* The head that was made last: the way to all of them, spare ones too, without a lock. */
extern struct dh_slab *dh_slab_newest; /* atomic */

/* From an address to its slab: a table of tables, by unit. Atomic, all of it. */
enum {
	DH_HEAP_ADDRESS_BITS = 47,
	DH_HEAP_LOWER_BITS = 17,
	DH_HEAP_UPPER_BITS = DH_HEAP_ADDRESS_BITS - DH_UNIT_BITS - DH_HEAP_LOWER_BITS,
};
extern struct dh_slab **dh_heap_directory[1 << DH_HEAP_UPPER_BITS];

/* How often slabs went, or came where others had been: as long as that stays, so do the
 * blocks' places. */
extern uint32_t dh_heap_layouts; /* atomic */

/* The slab that addr lies in, or NULL. Any address. */
DH_INLINE struct dh_slab *dh_slab_of(uintptr_t addr)
{
	uintptr_t unit = addr >> DH_UNIT_BITS;
	if (DH_UNLIKELY(addr >> DH_HEAP_ADDRESS_BITS))
		return NULL;
	struct dh_slab **lower = __atomic_load_n(
	    &dh_heap_directory[unit >> DH_HEAP_LOWER_BITS], __ATOMIC_ACQUIRE);
	if (DH_UNLIKELY(!lower))
		return NULL;
	return __atomic_load_n(&lower[unit % (1 << DH_HEAP_LOWER_BITS)],
			       __ATOMIC_ACQUIRE);
}

/* The block of a slab that addr lies in. May be out of range: check. */
DH_INLINE uint64_t dh_slab_index(const struct dh_slab *s, uintptr_t base, uintptr_t addr)
{
	return ((uint64_t)(addr - base) * s->magic) >> DH_MAGIC_SHIFT;
}

DH_INLINE uint32_t dh_spans(uint32_t blocks)
{
	return (blocks + DH_SPAN - 1) / DH_SPAN;
}

/* The span that a block is in. */
DH_INLINE struct dh_span *dh_span_of(const struct dh_slab *s, uint64_t index)
{
	return (struct dh_span *)s - 1 - index / DH_SPAN;
}

/* The word at the end of a block of a tailed slab. */
DH_INLINE uint64_t *dh_slab_tail(const struct dh_slab *s, uintptr_t block)
{
	return (uint64_t *)(block + s->size - DH_TAIL);
}

/* A slab of a small class, all blocks never given out; NULL where there is no memory. */
struct dh_slab *dh_slab_make(unsigned class);

/* A slab of one block of at least size bytes at a multiple of align. */
struct dh_slab *dh_slab_make_one(size_t size, size_t align);

/* Gives the memory back. Nobody has blocks of it. */
void dh_slab_drop(struct dh_slab *s);

struct dh_slab_stats {
	uint64_t mapped; /* bytes for blocks */
	uint64_t heads;	 /* bytes for heads with their facts */
};
void dh_slab_get_stats(struct dh_slab_stats *s);

/* For fork: holds the lock. */
extern struct dh_lock dh_slab_lock;

#endif
