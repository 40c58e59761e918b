/* SPDX-License-Identifier: MIT */
/* What is known of the block at an address; see heap.h. */
#include "runtime/heap.h"
#include "runtime/heap_facts.h"

bool dh_heap_find(uintptr_t addr, struct dh_heap_block *out)
{
	struct dh_heap_found f;
	if (!dh_heap_locate(addr, &f))
		return false;
	uint64_t state = __atomic_load_n(&f.facts->state, __ATOMIC_ACQUIRE);
	uint64_t given = __atomic_load_n(&f.facts->given, __ATOMIC_ACQUIRE);
	size_t size = dh_heap_asked(&f);
	/* Still the same block, in the same slab? If not it was something else, which
	 * is gone by now. */
	if (__atomic_load_n(&f.facts->state, __ATOMIC_ACQUIRE) != state ||
	    dh_slab_of(addr) != f.slab ||
	    __atomic_load_n(&f.slab->base, __ATOMIC_ACQUIRE) + f.index * f.slab->size !=
		f.base)
		return false;
	if (dh_fact_low(state) < DH_BLOCK_LIVE || addr - f.base >= size)
		return false;
	bool freed = dh_fact_low(state) == DH_BLOCK_FREED;
	*out = (struct dh_heap_block){
	    .base = f.base,
	    .size = size,
	    .alloc_site = dh_fact_site(given),
	    .alloc_thread = dh_fact_thread(given),
	    .freed = freed,
	    .free_site = freed ? dh_fact_site(state) : 0,
	    .free_thread = freed ? dh_fact_thread(state) : 0,
	};
	return true;
}

size_t dh_heap_size(const void *block)
{
	struct dh_heap_found f;
	return dh_heap_locate_live((uintptr_t)block, &f) ? dh_heap_asked(&f) : 0;
}
