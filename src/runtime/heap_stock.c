/* SPDX-License-Identifier: MIT */
/* The stock of small blocks; see heap_stock.h. A slab all of whose blocks are back is
 * dropped, unless it is the only one of its class that has blocks to give. */
#include "runtime/heap_stock.h"
#include "runtime/heap_facts.h"

static struct stock {
	struct dh_lock lock;
	struct dh_slab *slabs; /* those that have blocks to give */
} __attribute__((aligned(DH_CACHE_LINE))) stocks[DH_CLASSES];

static void list(struct stock *st, struct dh_slab *s)
{
	s->prev = NULL;
	s->next = st->slabs;
	if (s->next)
		s->next->prev = s;
	st->slabs = s;
	s->listed = true;
}

static void unlist(struct stock *st, struct dh_slab *s)
{
	*(s->prev ? &s->prev->next : &st->slabs) = s->next;
	if (s->next)
		s->next->prev = s->prev;
	s->listed = false;
}

/* Blocks that came back first, those never given out after. */
static unsigned take_from(struct dh_slab *s, dh_block *out, unsigned n)
{
	unsigned got = 0;
	for (uint32_t w = 0; w < (s->fresh + 63) / 64 && got < n; w++) {
		for (; s->free[w] && got < n; s->free[w] &= s->free[w] - 1)
			out[got++] = dh_block_make(
			    s, w * 64 + (uint32_t)__builtin_ctzll(s->free[w]));
	}
	for (; s->fresh < s->blocks && got < n; s->fresh++) {
		if (s->worn)
			dh_facts_set(s, s->fresh, DH_BLOCK_WORN);
		out[got++] = dh_block_make(s, s->fresh);
	}
	s->away += got;
	return got;
}

unsigned dh_stock_take(unsigned class, dh_block *out, unsigned n)
{
	struct stock *st = &stocks[class];
	unsigned got = 0;
	dh_lock(&st->lock);
	while (got < n) {
		struct dh_slab *s = st->slabs;
		if (!s) {
			if (got || !(s = dh_slab_make(class)))
				break;
			list(st, s);
		}
		got += take_from(s, out + got, n - got);
		if (s->away == s->blocks)
			unlist(st, s);
	}
	dh_unlock(&st->lock);
	return got;
}

void dh_stock_give(unsigned class, const dh_block *in, unsigned n)
{
	struct stock *st = &stocks[class];
	dh_lock(&st->lock);
	for (unsigned i = 0; i < n; i++) {
		struct dh_slab *s = dh_block_slab(in[i]);
		uint32_t at = dh_block_index(in[i]);
		s->free[at / 64] |= 1ull << at % 64;
		if (!s->listed)
			list(st, s);
		if (--s->away == 0 && (s->next || s->prev)) {
			unlist(st, s);
			dh_slab_drop(s);
		}
	}
	dh_unlock(&st->lock);
}

void dh_stock_lock_all(void)
{
	for (unsigned c = 0; c < DH_CLASSES; c++)
		dh_lock(&stocks[c].lock);
}

void dh_stock_unlock_all(void)
{
	for (unsigned c = 0; c < DH_CLASSES; c++)
		dh_unlock(&stocks[c].lock);
}
