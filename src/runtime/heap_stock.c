/* SPDX-License-Identifier: MIT */
/*
 * The stock of small blocks; see heap_stock.h.
 *
 * A home is served, in this order, from its own spans; from spans that are nobody's,
 * which is what one becomes when all of its blocks are back; from what others have, if
 * that is much; and from blocks that were never given out. So what lies idle with others
 * stays a part of what the program has.
 *
 * A slab all of whose blocks are back is dropped, unless there are no others of its class
 * to give.
 */
#include "runtime/heap_stock.h"
#include "runtime/heap_facts.h"

static struct stock {
	struct dh_lock lock;
	struct dh_slab *growing;    /* has blocks that were never given out; or NULL */
	struct dh_heap_home *homes; /* any one of the ring of those that have had spans */
	struct dh_heap_home nobody; /* has those that are no home's; in no ring */
	uint64_t here, away;	    /* blocks, in all slabs */
} __attribute__((aligned(DH_CACHE_LINE))) stocks[DH_CLASSES];

/* ---- lists of spans with blocks to give ---- */

static struct dh_span *span_at(dh_block first)
{
	return dh_span_of(dh_block_slab(first), dh_block_index(first));
}

static void list(dh_block first, struct dh_heap_home *home)
{
	struct dh_span *p = span_at(first);
	__atomic_store_n(&p->home, home, __ATOMIC_RELAXED);
	p->prev = 0;
	p->next = home->spans;
	if (p->next)
		span_at(p->next)->prev = first;
	home->spans = first;
}

static void unlist(dh_block first)
{
	struct dh_span *p = span_at(first);
	if (p->prev)
		span_at(p->prev)->next = p->next;
	else
		p->home->spans = p->next;
	if (p->next)
		span_at(p->next)->prev = p->prev;
}

/* The first of the spans that one home has to give is another's from now on. False: it
 * has none. */
static bool hand_over(struct dh_heap_home *from, struct dh_heap_home *to)
{
	dh_block first = from->spans;
	if (!first)
		return false;
	unlist(first);
	list(first, to);
	return true;
}

/* ---- whence a home gets spans ---- */

/* From the next home in the ring that has one. */
static bool take_other(struct stock *st, struct dh_heap_home *home)
{
	struct dh_heap_home *last = st->homes;
	if (!last)
		return false;
	do {
		st->homes = st->homes->next;
		if (hand_over(st->homes, home))
			return true;
	} while (st->homes != last);
	return false;
}

/* Called where all that is here is with other homes, or was never given out. */
static bool others_have_much(const struct stock *st, unsigned class)
{
	const struct dh_slab *s = st->growing;
	uint64_t idle = st->here - (s ? s->blocks - s->fresh : 0);
	return idle > st->away / 4 + dh_class_blocks(class) / 4;
}

static bool take_fresh(struct stock *st, unsigned class, struct dh_heap_home *home)
{
	struct dh_slab *s = st->growing;
	if (!s) {
		s = st->growing = dh_slab_make(class);
		if (!s)
			return false;
		st->here += s->blocks;
	}
	dh_block first = dh_block_make(s, s->fresh);
	uint32_t count = DH_MIN(s->blocks - s->fresh, (uint32_t)DH_SPAN);
	for (uint32_t i = 0; s->worn && i < count; i++)
		dh_facts_set(s, s->fresh + i, DH_BLOCK_WORN);
	s->fresh += count;
	if (s->fresh == s->blocks)
		st->growing = NULL;
	span_at(first)->free = ~0ull >> (DH_SPAN - count);
	list(first, home);
	return true;
}

/* Makes sure that home has a span with blocks to give; false where there is no memory. */
static bool provide(struct stock *st, unsigned class, struct dh_heap_home *home)
{
	if (home->spans || hand_over(&st->nobody, home))
		return true;
	if (others_have_much(st, class) && take_other(st, home))
		return true;
	return take_fresh(st, class, home) || take_other(st, home);
}

/* ---- taking and giving ---- */

/* Blocks of home's first span, the lowest first. */
static unsigned take_from(struct stock *st, struct dh_heap_home *home, dh_block *out,
			  unsigned n)
{
	dh_block first = home->spans;
	struct dh_span *p = span_at(first);
	unsigned got = 0;
	for (; p->free && got < n; p->free &= p->free - 1)
		out[got++] = first + (uint32_t)__builtin_ctzll(p->free);
	if (!p->free)
		unlist(first);
	dh_block_slab(first)->away += got;
	st->away += got;
	st->here -= got;
	return got;
}

static void enter(struct stock *st, struct dh_heap_home *home)
{
	home->next = st->homes ? st->homes->next : home;
	if (st->homes)
		st->homes->next = home;
	st->homes = home;
}

unsigned dh_stock_take(unsigned class, struct dh_heap_home *home, dh_block *out,
		       unsigned n)
{
	struct stock *st = &stocks[class];
	unsigned got = 0;
	dh_lock(&st->lock);
	if (dh_class_size(class) > DH_HOMELY_MAX)
		home = &st->nobody;
	else if (!home->next)
		enter(st, home);
	while (got < n && provide(st, class, home))
		got += take_from(st, home, out + got, n - got);
	dh_unlock(&st->lock);
	return got;
}

/* All of its blocks are back, so its spans are nobody's. */
static void drop(struct stock *st, struct dh_slab *s)
{
	for (uint32_t i = 0; i < s->fresh; i += DH_SPAN)
		unlist(dh_block_make(s, i));
	if (st->growing == s)
		st->growing = NULL;
	st->here -= s->blocks;
	dh_slab_drop(s);
}

static uint64_t all_of(const struct dh_slab *s, uint32_t first)
{
	uint32_t count = DH_MIN(s->blocks - first, (uint32_t)DH_SPAN);
	return ~0ull >> (DH_SPAN - count);
}

static void give(struct stock *st, dh_block b)
{
	struct dh_slab *s = dh_block_slab(b);
	uint32_t in = dh_block_index(b) % DH_SPAN;
	dh_block first = b - in;
	struct dh_span *p = span_at(first);
	if (!p->free)
		list(first, p->home);
	p->free |= 1ull << in;
	if (p->free == all_of(s, dh_block_index(first))) {
		unlist(first);
		list(first, &st->nobody);
	}
	st->away--;
	st->here++;
	if (--s->away == 0 && st->here > s->blocks)
		drop(st, s);
}

void dh_stock_give(unsigned class, const dh_block *in, unsigned n)
{
	struct stock *st = &stocks[class];
	dh_lock(&st->lock);
	for (unsigned i = 0; i < n; i++)
		give(st, in[i]);
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
