/* SPDX-License-Identifier: MIT */
/*
 * See goldi_list.h.
 *
 * Invariants
 *   (T) Places before the tail are taken; the one at the tail is empty or has just been
 *       taken; those behind it are empty. So a place is taken by the first who tries, and
 *       only when all before it are.
 *   (S) A ring has an entry of its own for each segment between base and tail; where it
 *       is too small for the segment at the tail, it is replaced first. Base moves only
 *       while nobody else is here, so that no entry changes its meaning under a reader.
 */
#include "engines/goldi_list.h"

enum {
	RING_FIRST = 16,
	SPARE_MOST = 16, /* segments, half a mebibyte */
	SEGMENT_BYTES = DH_GOLDI_SEGMENT * sizeof(uint64_t),
};

struct dh_goldi_ring {
	size_t cap;	/* power of two */
	uint64_t *at[]; /* atomic; NULL until the segment is made */
};

static size_t ring_bytes(size_t cap)
{
	return sizeof(struct dh_goldi_ring) + cap * sizeof(uint64_t *);
}

static struct dh_goldi_ring *ring_new(size_t cap)
{
	struct dh_goldi_ring *r = dh_mem_alloc(ring_bytes(cap));
	r->cap = cap;
	return r;
}

static uint64_t **entry_of(struct dh_goldi_ring *r, uint64_t segment)
{
	return &r->at[segment & (r->cap - 1)];
}

static struct dh_goldi_ring *ring_of(const struct dh_goldi_list *l)
{
	return __atomic_load_n(&l->ring, __ATOMIC_ACQUIRE);
}

void dh_goldi_list_init(struct dh_goldi_list *l)
{
	*l = (struct dh_goldi_list){.ring = ring_new(RING_FIRST)};
}

static void drop_outgrown(struct dh_goldi_list *l)
{
	while (l->outgrown.len) {
		struct dh_goldi_ring *r = dh_vec_pop(&l->outgrown);
		dh_mem_free(r, ring_bytes(r->cap));
	}
}

void dh_goldi_list_free(struct dh_goldi_list *l)
{
	for (size_t i = 0; i < l->ring->cap; i++)
		dh_mem_free(l->ring->at[i], SEGMENT_BYTES);
	dh_mem_free(l->ring, ring_bytes(l->ring->cap));
	while (l->spare.len)
		dh_mem_free(dh_vec_pop(&l->spare), SEGMENT_BYTES);
	drop_outgrown(l);
	dh_vec_free(&l->outgrown);
	dh_vec_free(&l->spare);
}

/* ---- segments ---- */

static uint64_t *segment_new(struct dh_goldi_list *l)
{
	if (!l->spare.len)
		return dh_mem_alloc(SEGMENT_BYTES);
	uint64_t *s = dh_vec_pop(&l->spare);
	dh_zero(s, SEGMENT_BYTES);
	return s;
}

/* (S); under the lock. */
static struct dh_goldi_ring *ring_for(struct dh_goldi_list *l, uint64_t segment)
{
	struct dh_goldi_ring *old = l->ring;
	uint64_t first = l->base / DH_GOLDI_SEGMENT;
	if (segment - first < old->cap)
		return old;
	struct dh_goldi_ring *r = ring_new(2 * old->cap);
	for (uint64_t s = first; s < segment; s++)
		*entry_of(r, s) = *entry_of(old, s);
	dh_vec_push(&l->outgrown, old);
	__atomic_store_n(&l->ring, r, __ATOMIC_RELEASE);
	return r;
}

static DH_COLD uint64_t *segment_make(struct dh_goldi_list *l, uint64_t segment)
{
	dh_lock(&l->lock);
	uint64_t **entry = entry_of(ring_for(l, segment), segment);
	if (!*entry)
		__atomic_store_n(entry, segment_new(l), __ATOMIC_RELEASE);
	uint64_t *s = *entry;
	dh_unlock(&l->lock);
	return s;
}

/* The place at the tail, or at what was the tail before. */
static uint64_t *place_of(struct dh_goldi_list *l, uint64_t position)
{
	struct dh_goldi_ring *r = ring_of(l);
	uint64_t segment = position / DH_GOLDI_SEGMENT, *s = NULL;
	if (DH_LIKELY(segment - l->base / DH_GOLDI_SEGMENT < r->cap))
		s = __atomic_load_n(entry_of(r, segment), __ATOMIC_ACQUIRE);
	if (DH_UNLIKELY(!s))
		s = segment_make(l, segment);
	return &s[position % DH_GOLDI_SEGMENT];
}

/* ---- the list ---- */

/* Puts the tail behind a place that is taken, unless somebody has. */
static void pass_tail(struct dh_goldi_list *l, uint64_t position)
{
	/* Release: who sees this tail sees the cell, which we have written or seen. */
	__atomic_compare_exchange_n(&l->tail, &position, position + 1, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static uint64_t word_of(struct dh_goldi_cell cell)
{
	DH_ASSERT(cell.from && cell.to);
	return (uint64_t)cell.from << 32 | cell.to;
}

uint64_t dh_goldi_list_push(struct dh_goldi_list *l, struct dh_goldi_cell cell)
{
	*place_of(l, l->tail) = word_of(cell);
	return l->tail++;
}

uint64_t dh_goldi_list_append(struct dh_goldi_list *l, struct dh_goldi_cell cell)
{
	uint64_t word = word_of(cell);
	for (;;) {
		uint64_t position = dh_goldi_list_tail(l), empty = 0;
		bool ours = __atomic_compare_exchange_n(place_of(l, position), &empty,
							word, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE);
		pass_tail(l, position);
		if (DH_LIKELY(ours))
			return position;
	}
}

const uint64_t *dh_goldi_list_piece(const struct dh_goldi_list *l, uint64_t position,
				    size_t *count)
{
	uint64_t tail = dh_goldi_list_tail(l);
	size_t in = position % DH_GOLDI_SEGMENT;
	*count = DH_MIN((size_t)(tail - position), DH_GOLDI_SEGMENT - in);
	uint64_t **entry = entry_of(ring_of(l), position / DH_GOLDI_SEGMENT);
	return __atomic_load_n(entry, __ATOMIC_ACQUIRE) + in;
}

void dh_goldi_list_reclaim(struct dh_goldi_list *l, size_t count)
{
	uint64_t s = l->base / DH_GOLDI_SEGMENT;
	l->base += count;
	for (; s < l->base / DH_GOLDI_SEGMENT; s++) {
		uint64_t **entry = entry_of(l->ring, s);
		if (l->spare.len < SPARE_MOST)
			dh_vec_push(&l->spare, *entry);
		else
			dh_mem_free(*entry, SEGMENT_BYTES);
		*entry = NULL;
	}
	drop_outgrown(l);
}
