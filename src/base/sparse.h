/* SPDX-License-Identifier: MIT */
/*
 * A table of pointers by number, for numbers that are given in ascending order and of
 * which few are in use at a time: room goes with the last pointer of a chunk, and what
 * stays of it is a word. Not for concurrent use, but for get while nothing is set.
 * Zero-initialised is empty. set allocates.
 */
#ifndef DH_BASE_SPARSE_H
#define DH_BASE_SPARSE_H

#include "base/vec.h"

enum { DH_SPARSE_CHUNK = 128 };

struct dh_sparse_chunk {
	size_t used;
	void *at[DH_SPARSE_CHUNK];
};

struct dh_sparse {
	struct dh_vec(struct dh_sparse_chunk *) chunks;
};

/* NULL where there is none. */
DH_INLINE void *dh_sparse_get(const struct dh_sparse *s, uint32_t number)
{
	size_t k = number / DH_SPARSE_CHUNK;
	if (DH_UNLIKELY(k >= s->chunks.len || !s->chunks.at[k]))
		return NULL;
	return s->chunks.at[k]->at[number % DH_SPARSE_CHUNK];
}

/* NULL takes it away. */
static inline void dh_sparse_set(struct dh_sparse *s, uint32_t number, void *pointer)
{
	size_t k = number / DH_SPARSE_CHUNK;
	dh_vec_grow(&s->chunks, k + 1);
	struct dh_sparse_chunk *c = s->chunks.at[k];
	if (!c)
		c = s->chunks.at[k] = dh_mem_alloc(sizeof *c);
	void **place = &c->at[number % DH_SPARSE_CHUNK];
	c->used += (pointer != NULL) - (*place != NULL);
	*place = pointer;
	if (!c->used) {
		dh_mem_free(c, sizeof *c);
		s->chunks.at[k] = NULL;
	}
}

/* The first pointer from *number on, which becomes its number; NULL where there is none.
 *
 *	for (uint32_t i = 0; (p = dh_sparse_next(&s, &i)); i++)
 */
static inline void *dh_sparse_next(const struct dh_sparse *s, uint32_t *number)
{
	for (size_t k = *number / DH_SPARSE_CHUNK; k < s->chunks.len; k++) {
		uint32_t first = (uint32_t)k * DH_SPARSE_CHUNK;
		for (uint32_t i = DH_MAX(*number, first);
		     s->chunks.at[k] && i - first < DH_SPARSE_CHUNK; i++) {
			*number = i;
			if (s->chunks.at[k]->at[i - first])
				return s->chunks.at[k]->at[i - first];
		}
	}
	return NULL;
}

/* The table alone: what it points to is the caller's. */
static inline void dh_sparse_free(struct dh_sparse *s)
{
	for (size_t k = 0; k < s->chunks.len; k++)
		dh_mem_free(s->chunks.at[k], sizeof *s->chunks.at[k]);
	dh_vec_free(&s->chunks);
}

#endif
