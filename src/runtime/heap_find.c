/* SPDX-License-Identifier: MIT */
/* What is known of the block at an address; see heap.h. */
#include "runtime/heap.h"
#include "runtime/heap_facts.h"

bool dh_heap_find(uintptr_t addr, struct dh_heap_block *out)
{
	struct dh_heap_found f;
	if (!dh_heap_locate(addr, &f))
		return false;
	uint64_t facts = dh_facts_get(f.slab, f.index);
	size_t size = dh_heap_asked(&f);
	/* Still the same block, in the same slab? If not it was something else, which
	 * is gone by now. */
	if (dh_facts_get(f.slab, f.index) != facts || dh_slab_of(addr) != f.slab ||
	    __atomic_load_n(&f.slab->base, __ATOMIC_ACQUIRE) + f.index * f.slab->size !=
		f.base)
		return false;
	if (dh_facts_state(facts) < DH_BLOCK_LIVE || addr - f.base >= size)
		return false;
	*out = (struct dh_heap_block){
	    .base = f.base,
	    .size = size,
	    .freed = dh_facts_state(facts) == DH_BLOCK_FREED,
	};
	dh_heap_hand_get(dh_facts_made_by(facts), &out->alloc_site, &out->alloc_thread);
	dh_heap_hand_get(dh_facts_freed_by(facts), &out->free_site, &out->free_thread);
	/* As long as the facts name a hand it is the same one. */
	return dh_facts_get(f.slab, f.index) == facts;
}

size_t dh_heap_size(const void *block)
{
	struct dh_heap_found f;
	return dh_heap_locate_live((uintptr_t)block, &f) ? dh_heap_asked(&f) : 0;
}
