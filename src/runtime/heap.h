/* SPDX-License-Identifier: MIT */
/*
 * The program's heap: the allocator behind malloc and operator new, and the map from an
 * address to the block that it lies in.
 *
 * A block's facts (size, where and by whom it was allocated and freed) are kept beside
 * the memory, never inside it, so a program that writes past its blocks or into freed
 * ones cannot spoil them. A freed block's facts stay until the memory is given out
 * again, which is put off a little (heap.c).
 *
 * What it means for the shadow: a block that is given out starts fresh; freeing one is a
 * write of all of it, so that a use by another thread that is not ordered with the free
 * is a race, while the block is waiting to be given out again too.
 *
 * Concurrency: any thread, attached or not, at any time, before the runtime is set up
 * too. The functions raise `inside` themselves and take locks of their own; only
 * dh_heap_find() and dh_heap_size() take none.
 */
#ifndef DH_RUNTIME_HEAP_H
#define DH_RUNTIME_HEAP_H

#include "base/base.h"

/* ---- what is at an address ---- */

struct dh_heap_block {
	uintptr_t base;
	size_t size;	       /* as asked for */
	uint32_t alloc_site;   /* 0: unknown (before the runtime was set up) */
	uint32_t alloc_thread; /* id, see thread.h; for an unknown site meaningless */
	bool freed;
	uint32_t free_site; /* the last three: only where freed */
	uint32_t free_thread;
};

/* The block that addr, which may be any address, lies in: a live one, or one that was
 * freed and has not been given out again. The last byte past the end of a block counts
 * as no part of it. False where there is none: then *out is as it was. Takes no lock and
 * may be called while others allocate and free; what it tells was true at some moment
 * of the call. */
bool dh_heap_find(uintptr_t addr, struct dh_heap_block *out);

/* ---- the allocator ---- */

/* A block of size bytes (0 is good for one of its own) at a multiple of align, a power
 * of two; 16 at least. Its bytes are anything. NULL where there is no memory; errno is
 * left alone. pc is where the program called. */
void *dh_heap_alloc(size_t size, size_t align, uint64_t pc);

/* The same, all bytes zero. */
void *dh_heap_alloc_zero(size_t size, uint64_t pc);

/* Frees a block. What is no live block's base is named on stderr once, and passed
 * over. NULL is fine. */
void dh_heap_free(void *block, uint64_t pc);

/* A block of the new size with the old one's bytes; the old one is freed. NULL, and the
 * old one stays, where there is no memory. block is a live one's base: else as free. */
void *dh_heap_resize(void *block, size_t size, uint64_t pc);

/* The size as asked for of a live block, by its base; 0 for anything else. */
size_t dh_heap_size(const void *block);

/* The calling thread ends: its spare blocks go back to all. */
void dh_heap_thread_end(void);

/* Around a fork, in the thread that forks: nobody is inside the allocator meanwhile.
 * The last one in parent and child alike. */
void dh_heap_before_fork(void);
void dh_heap_after_fork(void);

struct dh_heap_stats {
	uint64_t mapped;      /* bytes of memory for blocks */
	uint64_t facts;	      /* bytes for the facts about blocks */
	uint64_t hands_lost;  /* blocks of which it is not known who made or freed them */
	uint64_t wrong_frees; /* frees of what was no live block */
};
void dh_heap_get_stats(struct dh_heap_stats *s);

#endif
