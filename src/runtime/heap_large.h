/* SPDX-License-Identifier: MIT */
/*
 * Heap blocks above DH_SMALL_MAX or with unusual alignment: each a slab of its own. The
 * last freed ones are parked for a while and then used again or dropped.
 */
#ifndef DH_RUNTIME_HEAP_LARGE_H
#define DH_RUNTIME_HEAP_LARGE_H

#include "runtime/heap_slab.h"

/* A slab of one block with room for size at a multiple of align; NULL where there is no
 * memory. Its state tells whether it was given out before, and the slab whether its
 * memory reads as zero. */
struct dh_slab *dh_large_take(size_t size, size_t align);

/* The block has been freed. */
void dh_large_give(struct dh_slab *s);

/* For fork. */
extern struct dh_lock dh_large_lock;

#endif
