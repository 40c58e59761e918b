/* SPDX-License-Identifier: MIT */
/*
 * Facts about blocks (heap_slab.h): packing, and finding them from an address. Any
 * thread, any time, no locks.
 */
#ifndef DH_RUNTIME_HEAP_FACTS_H
#define DH_RUNTIME_HEAP_FACTS_H

#include "runtime/heap_slab.h"

enum {
	DH_FACT_LOW_BITS = 16,
	DH_FACT_THREAD_BITS = 24,
	DH_FACT_THREAD_MAX = (1 << DH_FACT_THREAD_BITS) - 1,
};

DH_INLINE uint64_t dh_fact_make(uint32_t site, uint32_t thread, uint32_t low)
{
	thread = DH_MIN(thread, (uint32_t)DH_FACT_THREAD_MAX);
	return (uint64_t)site << (DH_FACT_LOW_BITS + DH_FACT_THREAD_BITS) |
	       (uint64_t)thread << DH_FACT_LOW_BITS | low;
}

DH_INLINE uint32_t dh_fact_site(uint64_t fact)
{
	return (uint32_t)(fact >> (DH_FACT_LOW_BITS + DH_FACT_THREAD_BITS));
}

DH_INLINE uint32_t dh_fact_thread(uint64_t fact)
{
	return (uint32_t)(fact >> DH_FACT_LOW_BITS) & DH_FACT_THREAD_MAX;
}

/* The size asked for, or the state. */
DH_INLINE uint32_t dh_fact_low(uint64_t fact)
{
	return (uint32_t)fact & ((1u << DH_FACT_LOW_BITS) - 1);
}

/* A block, as found from an address in it. */
struct dh_heap_found {
	struct dh_slab *slab;
	struct dh_facts *facts;
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
	       dh_fact_low(__atomic_load_n(&f->facts->state, __ATOMIC_ACQUIRE)) ==
		   DH_BLOCK_LIVE;
}

/* The size asked for. */
DH_INLINE size_t dh_heap_asked(const struct dh_heap_found *f)
{
	if (DH_LIKELY(f->slab->class < DH_CLASSES))
		return dh_fact_low(__atomic_load_n(&f->facts->given, __ATOMIC_RELAXED));
	return __atomic_load_n(&f->slab->asked, __ATOMIC_RELAXED);
}

#endif
