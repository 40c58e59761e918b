/* SPDX-License-Identifier: MIT */
/*
 * Size-class allocator behind mem.h. Sixteen-byte steps up to 256, then four
 * classes per doubling up to 32 KiB; each class has one free list under one
 * lock. Larger blocks are mapped and unmapped whole.
 *
 * Invariant: a block on a free list is all zero but for its first word, so that
 * dh_mem_alloc() has one word to clear.
 */
#include "base/mem.h"
#include "base/lock.h"
#include "base/sys.h"

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define DH_MEM_FROM_LIBC 1
#elif defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define DH_MEM_LARGE_FROM_LIBC 1 /* it does not see our unmapping, and takes the next
				    user of the addresses for the same memory */
#endif

bool (*dh_mem_short)(size_t size);

/* Who asks for room may have it taken by another thread. */
static void *with_room(void *map(size_t size), size_t size)
{
	enum { TRIES = 8 };
	bool (*may_have)(size_t) = __atomic_load_n(&dh_mem_short, __ATOMIC_RELAXED);
	void *got = map(size);
	for (unsigned i = 0; DH_UNLIKELY(!got && may_have) && i < TRIES; i++)
		got = may_have(size) ? map(size) : NULL;
	return got;
}

void *dh_mem_map(size_t size)
{
	return with_room(dh_sys_map, size);
}

void *dh_mem_map_sparse(size_t size)
{
	return with_room(dh_sys_map_sparse, size);
}

static size_t in_use; /* atomic: bytes of blocks that are in no class */

static void account(size_t grown, size_t shrunk)
{
	/* A statistic: no order with anything else is needed. */
	__atomic_fetch_add(&in_use, grown - shrunk, __ATOMIC_RELAXED);
}

static DH_COLD _Noreturn void out_of_memory(void)
{
	static const char text[] = "deadheat: out of memory\n";
	dh_sys_write(2, text, sizeof text - 1);
	dh_sys_abort();
}

#ifdef DH_MEM_FROM_LIBC
#include <stdlib.h>

static void *block_get(size_t size)
{
	account(size, 0);
	return calloc(1, size);
}

static void block_put(void *block, size_t size)
{
	account(0, size);
	free(block);
}

static size_t in_classes(void)
{
	return 0;
}
#else

enum {
	SMALL_STEP = 16,
	SMALL_MAX = 256,
	CLASS_MAX = 32 << 10,
	SMALL_CLASSES = SMALL_MAX / SMALL_STEP,
	CLASSES = SMALL_CLASSES + 4 * 7,
	SLAB = 256 << 10,
	RESERVE = 1 << 20,
};

struct free_block {
	struct free_block *next;
};

/* A line of the cache each: threads that use different ones are not in each other's way. */
static struct size_class {
	struct dh_lock lock;
	struct free_block *free; /* under lock */
	char *fresh;             /* under lock: unused rest of the newest slab */
	char *fresh_end;         /* under lock */
	size_t in_use;           /* bytes; atomic, written under lock */
} __attribute__((aligned(64))) classes[CLASSES];

DH_LOCKS_AROUND_FORK(classes, &classes[0].lock, CLASSES, sizeof classes[0], DH_FORK_MEMORY);

/* For when the kernel gives nothing: a program may have taken all addresses, or all the
 * mappings that it may have, and go on well. Given out in pieces, which stay in use. */
static char reserve[RESERVE] __attribute__((aligned(4096)));
static size_t reserve_used; /* atomic */

static DH_COLD void *reserve_get(size_t size)
{
	size_t at = __atomic_load_n(&reserve_used, __ATOMIC_RELAXED);
	do {
		if (size > RESERVE - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&reserve_used, &at, at + size, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return reserve + at;
}

static unsigned class_of(size_t size)
{
	if (size <= SMALL_MAX)
		return (unsigned)((size + SMALL_STEP - 1) / SMALL_STEP) - 1;
	unsigned log = 63 - (unsigned)__builtin_clzll(size - 1); /* 2^log <= size-1 */
	unsigned quarter = (unsigned)((size - 1) >> (log - 2)) & 3;
	return SMALL_CLASSES + (log - 8) * 4 + quarter;
}

static size_t class_size(unsigned c)
{
	if (c < SMALL_CLASSES)
		return (size_t)(c + 1) * SMALL_STEP;
	unsigned log = 8 + (c - SMALL_CLASSES) / 4, quarter = (c - SMALL_CLASSES) % 4;
	return ((size_t)1 << log) + ((size_t)(quarter + 1) << (log - 2));
}

#ifdef DH_MEM_LARGE_FROM_LIBC
#include <stdlib.h>

static void *large_get(size_t size)
{
	return calloc(1, size);
}

static void large_put(void *block, size_t size)
{
	(void)size;
	free(block);
}
#else
static size_t whole_pages(size_t size)
{
	return (size + 4095) & ~(size_t)4095;
}

static void *large_get(size_t size)
{
	void *got = dh_mem_map(whole_pages(size));
	return DH_LIKELY(got != NULL) ? got : reserve_get(whole_pages(size));
}

static void large_put(void *block, size_t size)
{
	if (DH_LIKELY((size_t)((char *)block - reserve) >= RESERVE))
		dh_sys_unmap(block, whole_pages(size));
}
#endif

/* Under the lock of the class. */
static void refill(struct size_class *c)
{
	size_t size = SLAB;
	c->fresh = dh_mem_map(size);
	if (DH_UNLIKELY(!c->fresh))
		c->fresh = reserve_get(size = CLASS_MAX);
	if (!c->fresh)
		out_of_memory();
	c->fresh_end = c->fresh + size;
}

/* Under the lock of the class. */
static void count(struct size_class *c, size_t grown, size_t shrunk)
{
	__atomic_store_n(&c->in_use, c->in_use + grown - shrunk, __ATOMIC_RELAXED);
}

static size_t in_classes(void)
{
	size_t sum = 0;
	for (unsigned c = 0; c < CLASSES; c++)
		sum += __atomic_load_n(&classes[c].in_use, __ATOMIC_RELAXED);
	return sum;
}

/* size: of all blocks of the class; wanted: of this one. */
static void *class_get(struct size_class *c, size_t size, size_t wanted)
{
	dh_lock(&c->lock);
	count(c, wanted, 0);
	struct free_block *b = c->free;
	if (b) {
		c->free = b->next;
		b->next = NULL;
	} else {
		if ((size_t)(c->fresh_end - c->fresh) < size)
			refill(c);
		b = (struct free_block *)c->fresh;
		c->fresh += size;
	}
	dh_unlock(&c->lock);
	return b;
}

static void *block_get(size_t size)
{
	if (size > CLASS_MAX) {
		account(size, 0);
		return large_get(size);
	}
	unsigned c = class_of(size);
	return class_get(&classes[c], class_size(c), size);
}

static void block_put(void *block, size_t size)
{
	if (size > CLASS_MAX) {
		account(0, size);
		large_put(block, size);
		return;
	}
	struct size_class *c = &classes[class_of(size)];
	struct free_block *b = block;
	dh_zero(block, size);
	dh_lock(&c->lock);
	count(c, 0, size);
	b->next = c->free;
	c->free = b;
	dh_unlock(&c->lock);
}
#endif

void *dh_mem_alloc(size_t size)
{
	DH_ASSERT(size > 0);
	void *block = block_get(size);
	if (DH_UNLIKELY(!block))
		out_of_memory();
	return block;
}

void dh_mem_free(void *block, size_t size)
{
	if (block)
		block_put(block, size);
}

void *dh_mem_resize(void *old, size_t old_size, size_t new_size)
{
	void *block = dh_mem_alloc(new_size);
	if (old_size > 0)
		dh_copy(block, old, DH_MIN(old_size, new_size));
	dh_mem_free(old, old_size);
	return block;
}

size_t dh_mem_in_use(void)
{
	return __atomic_load_n(&in_use, __ATOMIC_RELAXED) + in_classes();
}
