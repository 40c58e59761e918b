/* SPDX-License-Identifier: MIT */
/*
 * Stable storage: an array of up to 2^32 elements that grows without moving what
 * is in it, so that other threads may read it meanwhile. Chunk k holds
 * DH_STABLE_FIRST * 2^k elements; finding one is a count of leading zeros and
 * one load.
 *
 *   struct dh_stable nodes = {0};
 *   struct node *n = dh_stable_make(&nodes, id, sizeof *n);   // zero at first
 *   struct node *m = dh_stable_get(&nodes, id, sizeof *m);
 *
 * Any number of threads may call get and make at once; free is for the last user.
 * The element size is the caller's to repeat: the same in every call. What the
 * elements hold is the caller's to publish. make may allocate; takes no lock.
 */
#ifndef DH_BASE_STABLE_H
#define DH_BASE_STABLE_H

#include "base/mem.h"

enum {
	DH_STABLE_LOG = 8,
	DH_STABLE_FIRST = 1 << DH_STABLE_LOG,
	DH_STABLE_CHUNKS = 33 - DH_STABLE_LOG,
};

struct dh_stable {
	char *chunks[DH_STABLE_CHUNKS]; /* atomic; NULL until needed, then fixed */
};

DH_INLINE unsigned dh_stable_chunk(uint32_t id)
{
	return 63 - DH_STABLE_LOG -
	       (unsigned)__builtin_clzll((uint64_t)id + DH_STABLE_FIRST);
}

DH_INLINE size_t dh_stable_len(unsigned chunk)
{
	return (size_t)DH_STABLE_FIRST << chunk;
}

/* Where an element is, given its chunk. */
DH_INLINE void *dh_stable_at(char *chunk, unsigned k, uint32_t id, size_t size)
{
	return chunk + ((size_t)id + DH_STABLE_FIRST - dh_stable_len(k)) * size;
}

/* The element, or NULL where its chunk was never made. */
DH_INLINE void *dh_stable_get(const struct dh_stable *s, uint32_t id, size_t size)
{
	unsigned k = dh_stable_chunk(id);
	/* Acquire: the chunk's zeroes come before its address. */
	char *chunk = __atomic_load_n(&s->chunks[k], __ATOMIC_ACQUIRE);
	return DH_LIKELY(chunk != NULL) ? dh_stable_at(chunk, k, id, size) : NULL;
}

/* The element; its chunk is made where it was missing. Of two threads that make
 * the same chunk the later gives its own back. */
static inline void *dh_stable_make(struct dh_stable *s, uint32_t id, size_t size)
{
	void *have = dh_stable_get(s, id, size);
	if (DH_LIKELY(have != NULL))
		return have;
	unsigned k = dh_stable_chunk(id);
	char *found = NULL, *fresh = dh_mem_alloc(dh_stable_len(k) * size);
	if (__atomic_compare_exchange_n(&s->chunks[k], &found, fresh, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return dh_stable_at(fresh, k, id, size);
	dh_mem_free(fresh, dh_stable_len(k) * size);
	return dh_stable_at(found, k, id, size);
}

/* Bytes of the chunks made so far. */
static inline size_t dh_stable_bytes(const struct dh_stable *s, size_t size)
{
	size_t sum = 0;
	for (unsigned k = 0; k < DH_STABLE_CHUNKS; k++)
		if (__atomic_load_n(&s->chunks[k], __ATOMIC_RELAXED))
			sum += dh_stable_len(k) * size;
	return sum;
}

static inline void dh_stable_free(struct dh_stable *s, size_t size)
{
	for (unsigned k = 0; k < DH_STABLE_CHUNKS; k++) {
		dh_mem_free(s->chunks[k], dh_stable_len(k) * size);
		s->chunks[k] = NULL;
	}
}

#endif
