/* SPDX-License-Identifier: MIT */
/*
 * Regions of the heap: runs of units, taken and given back. See heap_slab.h for the
 * words. Everything here is called with dh_slab_lock held.
 */
#ifndef DH_RUNTIME_HEAP_REGION_H
#define DH_RUNTIME_HEAP_REGION_H

#include "runtime/heap_slab.h"

enum { DH_HEAP_REGION_BITS = 20, DH_HEAP_UNITS = 64 };
#define DH_HEAP_REGION ((uintptr_t)1 << DH_HEAP_REGION_BITS)
_Static_assert(DH_HEAP_UNITS << DH_UNIT_BITS == 1 << DH_HEAP_REGION_BITS, "units fit");

struct dh_heap_region {
	uintptr_t base;
	uint64_t free;	  /* one bit per unit that is in no slab */
	uint64_t clean;	  /* and per unit that is clean besides */
	uint64_t untaken; /* and per unit that was never in any */
	uint8_t *longest; /* free run, in units */
};

/* A run of s->units at a multiple of align units (a power of two, at most 32), its
 * shadow empty; 0 where there is no memory. Notes in the slab which region it is of, and
 * whether it reads as zero. */
uintptr_t dh_heap_run_take(struct dh_slab *s, unsigned align);
void dh_heap_run_give(struct dh_slab *s, uintptr_t base);

uint64_t dh_heap_regions(void);

/* ---- from heap_slab.c ---- */

/* Zeroed memory that is never given back, or NULL. */
void *dh_heap_arena(size_t size);

/* Fresh pages at a multiple of align, their shadow empty; 0 where there are none. */
uintptr_t dh_heap_map(size_t size, size_t align);

#endif
