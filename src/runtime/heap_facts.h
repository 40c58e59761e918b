/* SPDX-License-Identifier: MIT */
/*
 * Facts about blocks: packing, where they are kept, and finding them from an address. One
 * word to a block,
 *
 *   63    41 40    18 17   2 1     0
 *   [ made ][ freed  ][ size ][ state ]   made, freed: hands (heap_hands.h); 0 before
 *
 * with the size that was asked for (slabs of one block have it in the head). FRESH is
 * zero.
 *
 * Beside the smallest blocks a word would be much. But the blocks of a slab were made,
 * and freed, in few places of the program: so slabs of the smallest classes have a table
 * of kinds of facts, without a size, and their blocks a brief of 16 bits,
 *
 *   15    9 8    0
 *   [ spare ][ kind ]   spare: bytes that were not asked for; 0 is FRESH
 *
 * Where there are too many kinds, the rest of the blocks have words after all, in an
 * array that is made then. A kind is in the table until the head is used again.
 *
 * Any thread, any time, no locks; one thread at a time has a block to write its facts.
 */
#ifndef DH_RUNTIME_HEAP_FACTS_H
#define DH_RUNTIME_HEAP_FACTS_H

#include "runtime/heap_hands.h"
#include "runtime/heap_slab.h"

enum {
	DH_FACT_SIZE_SHIFT = 2,
	DH_FACT_FREED_SHIFT = 18,
	DH_FACT_MADE_SHIFT = DH_FACT_FREED_SHIFT + DH_HAND_BITS,
	DH_BRIEF_KIND_BITS = 9,
	DH_BRIEF_KIND = (1 << DH_BRIEF_KIND_BITS) - 1, /* as a kind: see the array */
	DH_BRIEF_SPARE_MAX = UINT16_MAX >> DH_BRIEF_KIND_BITS,
};
#define DH_FACT_SIZE_FIELD ((uint64_t)UINT16_MAX << DH_FACT_SIZE_SHIFT)
_Static_assert(DH_KINDS_MOST + 0 < DH_BRIEF_KIND + 0, "a number for each");
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

/* ---- where they are ---- */

/* The first place in the table for a kind. */
DH_INLINE uint32_t dh_kind_place(const struct dh_slab *s, uint64_t kind)
{
	return (uint32_t)(kind * 0x9e3779b97f4a7c15ull >> 40) & (s->kinds - 1u);
}

DH_INLINE uint16_t dh_brief_of(uint32_t kind, uint32_t spare)
{
	return (uint16_t)(spare << DH_BRIEF_KIND_BITS | kind);
}

/* Bytes of the block that were not asked for; of one that is not given out it says
 * nothing. */
DH_INLINE uint32_t dh_facts_spare(const struct dh_slab *s, uint64_t facts)
{
	return dh_facts_state(facts) < DH_BLOCK_LIVE ? 0 : s->size - dh_facts_size(facts);
}

DH_INLINE uint64_t dh_facts_get(const struct dh_slab *s, uint64_t index)
{
	if (!s->kinds)
		return __atomic_load_n(&s->facts[index], __ATOMIC_ACQUIRE);
	uint16_t brief = __atomic_load_n(&dh_slab_briefs(s)[index], __ATOMIC_ACQUIRE);
	uint32_t kind = brief & DH_BRIEF_KIND,
		 size = s->size - (brief >> DH_BRIEF_KIND_BITS);
	if (!kind)
		return DH_BLOCK_FRESH;
	if (DH_UNLIKELY(kind == DH_BRIEF_KIND))
		return __atomic_load_n(&s->whole[index], __ATOMIC_ACQUIRE);
	return __atomic_load_n(&s->facts[kind - 1], __ATOMIC_RELAXED) |
	       (uint64_t)size << DH_FACT_SIZE_SHIFT;
}

/* The long way of dh_facts_set(): where the kind is not in its first place. Allocates. */
void dh_facts_set_slow(struct dh_slab *s, uint64_t index, uint64_t facts);

/* Release: who finds the facts finds what is in the head. */
DH_INLINE void dh_facts_set(struct dh_slab *s, uint64_t index, uint64_t facts)
{
	if (!s->kinds) {
		__atomic_store_n(&s->facts[index], facts, __ATOMIC_RELEASE);
		return;
	}
	uint64_t kind = facts & ~DH_FACT_SIZE_FIELD;
	uint32_t at = dh_kind_place(s, kind), spare = dh_facts_spare(s, facts);
	if (DH_LIKELY(__atomic_load_n(&s->facts[at], __ATOMIC_RELAXED) == kind &&
		      spare <= DH_BRIEF_SPARE_MAX))
		__atomic_store_n(&dh_slab_briefs(s)[index], dh_brief_of(at + 1, spare),
				 __ATOMIC_RELEASE);
	else
		dh_facts_set_slow(s, index, facts);
}

/* ---- from an address ---- */

/* A block, as found from an address in it. */
struct dh_heap_found {
	struct dh_slab *slab;
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
	return true;
}

/* Is addr the base of a live block? */
DH_INLINE bool dh_heap_locate_live(uintptr_t addr, struct dh_heap_found *f)
{
	return dh_heap_locate(addr, f) && f->base == addr &&
	       dh_facts_state(dh_facts_get(f->slab, f->index)) == DH_BLOCK_LIVE;
}

/* The size asked for. */
DH_INLINE size_t dh_heap_asked(const struct dh_heap_found *f)
{
	if (DH_LIKELY(f->slab->class < DH_CLASSES))
		return dh_facts_size(dh_facts_get(f->slab, f->index));
	return __atomic_load_n(&f->slab->asked, __ATOMIC_RELAXED);
}

#endif
