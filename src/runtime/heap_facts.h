/* SPDX-License-Identifier: MIT */
/*
 * Facts about blocks: packing, and finding them from an address. One word to a block,
 *
 *   63    41 40    18 17   2 1     0
 *   [ made ][ freed  ][ size ][ state ]   made, freed: hands (heap_hands.h); 0 before
 *
 * with the size that was asked for (slabs of one block have it in the head). FRESH is
 * zero. Any thread, any time, no locks.
 */
#ifndef DH_RUNTIME_HEAP_FACTS_H
#define DH_RUNTIME_HEAP_FACTS_H

#include "runtime/heap_hands.h"
#include "runtime/heap_slab.h"

enum {
	DH_FACT_SIZE_SHIFT = 2,
	DH_FACT_FREED_SHIFT = 18,
	DH_FACT_MADE_SHIFT = DH_FACT_FREED_SHIFT + DH_HAND_BITS,
};
_Static_assert(DH_FACT_MADE_SHIFT + DH_HAND_BITS == 64, "one word");
_Static_assert(DH_SMALL_MAX < 1 << (DH_FACT_FREED_SHIFT - DH_FACT_SIZE_SHIFT), "sizes");

DH_INLINE uint64_t dh_facts_live(uint32_t made, uint32_t size)
{
	return (uint64_t)made << DH_FACT_MADE_SHIFT |
	       (uint64_t)size << DH_FACT_SIZE_SHIFT | DH_BLOCK_LIVE;
}

/* Of a live block, when it is freed. */
DH_INLINE uint64_t dh_facts_freed(uint64_t live, uint32_t freed)
{
	return live | (uint64_t)freed << DH_FACT_FREED_SHIFT | DH_BLOCK_FREED;
}
_Static_assert((DH_BLOCK_LIVE | DH_BLOCK_FREED) == DH_BLOCK_FREED, "by adding bits");

DH_INLINE enum dh_block_state dh_facts_state(uint64_t facts)
{
	return (enum dh_block_state)(facts & 3);
}

DH_INLINE uint32_t dh_facts_size(uint64_t facts)
{
	return (uint16_t)(facts >> DH_FACT_SIZE_SHIFT);
}

DH_INLINE uint32_t dh_facts_made_by(uint64_t facts)
{
	return (uint32_t)(facts >> DH_FACT_MADE_SHIFT);
}

DH_INLINE uint32_t dh_facts_freed_by(uint64_t facts)
{
	return (uint32_t)(facts >> DH_FACT_FREED_SHIFT) & DH_HAND_MAX;
}

/* A block, as found from an address in it. */
struct dh_heap_found {
	struct dh_slab *slab;
	uint64_t *facts; /* atomic */
	uintptr_t base;
	uint64_t index;
};

/* False where addr is in no block's place. */
DH_INLINE bool dh_heap_locate(uintptr_t addr, struct dh_heap_found *f)
{
	struct dh_slab *s = f->slab = dh_slab_of(addr);
	if (DH_UNLIKELY(!s))
		return false;
	uintptr_t base = __atomic_load_n(&s->base, __ATOMIC_ACQUIRE);
	f->index = dh_slab_index(s, base, addr);
	if (DH_UNLIKELY(addr < base || f->index >= s->blocks))
		return false;
	f->base = base + f->index * s->size;
	f->facts = &s->facts[f->index];
	return true;
}

/* Is addr the base of a live block? */
DH_INLINE bool dh_heap_locate_live(uintptr_t addr, struct dh_heap_found *f)
{
	return dh_heap_locate(addr, f) && f->base == addr &&
	       dh_facts_state(__atomic_load_n(f->facts, __ATOMIC_ACQUIRE)) ==
		   DH_BLOCK_LIVE;
}

/* The size asked for. */
DH_INLINE size_t dh_heap_asked(const struct dh_heap_found *f)
{
	if (DH_LIKELY(f->slab->class < DH_CLASSES))
		return dh_facts_size(__atomic_load_n(f->facts, __ATOMIC_RELAXED));
	return __atomic_load_n(&f->slab->asked, __ATOMIC_RELAXED);
}

#endif
