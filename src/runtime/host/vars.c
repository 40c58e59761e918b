/* SPDX-License-Identifier: MIT */
/*
 * See vars.h. A chunk is 512 bytes of memory; it has a word for each granule:
 *
 *   0                          no variable
 *   mask << 32 | number + 1    one block
 *   ... | WIDE                 the same, of a variable with other granules too
 *   PARTS | address            several blocks
 */
#include "runtime/host/vars.h"
#include "runtime/heap.h"
#include "runtime/host/events.h"
#include "runtime/host/host.h"

enum { CHUNK_BITS = 9, GRANULES = 1 << (CHUNK_BITS - 3), WHOLE = 0xff };

#define PARTS ((uint64_t)1 << 63)
#define WIDE  ((uint64_t)1 << 40)

struct block {
	uint32_t var;
	uint8_t mask;
	bool wide;
};

struct parts {
	unsigned count;
	struct block at[DH_BLOCKS];
};

struct dh_var_chunk {
	uintptr_t number;
	uint32_t used; /* granules with variables */
	uint64_t words[GRANULES];
	uint32_t users[GRANULES]; /* see settle_repeats(): an id + 1, or MANY */
};

#define MANY UINT32_MAX

/* ---- words ---- */

static struct parts *parts_of(uint64_t word)
{
	return word & PARTS ? (struct parts *)(uintptr_t)(word & ~PARTS) : NULL;
}

static uint64_t word_of(struct block b)
{
	return (uint64_t)b.mask << 32 | (b.var + 1) | (b.wide ? WIDE : 0);
}

static struct block block_of(uint64_t word)
{
	return (struct block){(uint32_t)word - 1, (uint8_t)(word >> 32), word & WIDE};
}

/* Copies the blocks of a granule; returns how many. */
static unsigned load(uint64_t word, struct block to[DH_BLOCKS])
{
	const struct parts *p = parts_of(word);
	if (!word)
		return 0;
	if (!p) {
		to[0] = block_of(word);
		return 1;
	}
	dh_copy(to, p->at, p->count * sizeof *to);
	return p->count;
}

static void store(struct dh_var_chunk *c, uint64_t *word, const struct block *from,
		  unsigned count)
{
	struct parts *p = parts_of(*word);
	c->used += (count != 0) - (*word != 0);
	if (count <= 1) {
		if (p)
			dh_mem_free(p, sizeof *p);
		*word = count ? word_of(from[0]) : 0;
		return;
	}
	if (!p)
		p = dh_mem_alloc(sizeof *p);
	p->count = count;
	dh_copy(p->at, from, count * sizeof *from);
	*word = PARTS | (uintptr_t)p;
}

/* ---- chunks ---- */

static struct dh_var_chunk *chunk_of(struct dh_vars *v, uintptr_t addr, bool make)
{
	uintptr_t number = addr >> CHUNK_BITS;
	if (DH_LIKELY(v->last && v->last->number == number))
		return v->last;
	uint64_t *have =
	    make ? dh_map_put(&v->chunks, number, NULL) : dh_map_get(&v->chunks, number);
	if (!have)
		return NULL;
	struct dh_var_chunk *c = (struct dh_var_chunk *)(uintptr_t)*have;
	if (!c) {
		c = dh_mem_alloc(sizeof *c);
		c->number = number;
		*have = (uintptr_t)c;
	}
	return v->last = c;
}

static uint64_t *word_in(struct dh_var_chunk *c, uintptr_t granule)
{
	return &c->words[granule >> 3 & (GRANULES - 1)];
}

static void drop_if_empty(struct dh_vars *v, struct dh_var_chunk *c)
{
	if (c->used)
		return;
	if (v->last == c)
		v->last = NULL;
	dh_map_remove(&v->chunks, c->number);
	dh_mem_free(c, sizeof *c);
}

/* ---- numbers ---- */

static uint32_t var_new(struct dh_vars *v, uintptr_t addr, size_t size)
{
	uint32_t var;
	if (v->unused.len) {
		var = dh_vec_pop(&v->unused);
	} else {
		var = (uint32_t)v->at.len;
		DH_CHECK(var < UINT32_MAX - 1);
		dh_vec_grow(&v->at, (size_t)var + 1);
	}
	v->at.at[var] = (struct dh_var){addr, size};
	v->peak = DH_MAX(v->peak, (uint64_t)(v->at.len - v->unused.len));
	dh_events_var(var, addr);
	return var;
}

static uintptr_t first_of(uintptr_t granule, unsigned mask)
{
	return granule + (unsigned)__builtin_ctz(mask);
}

static struct block block_new(struct dh_vars *v, uintptr_t granule, unsigned mask)
{
	uint32_t var =
	    var_new(v, first_of(granule, mask), (unsigned)__builtin_popcount(mask));
	return (struct block){var, (uint8_t)mask, false};
}

/* ---- heap blocks as variables ---- */

/* The block's first granule has the variable; the others have its number too. */
static struct block block_of_heap(struct dh_host *h, uintptr_t granule)
{
	struct dh_vars *v = &h->vars;
	struct dh_heap_block b;
	if (!dh_heap_find(granule, &b) || b.freed || b.size <= 8)
		return block_new(v, granule, WHOLE);
	uintptr_t base = b.base & ~(uintptr_t)7;
	struct dh_var_chunk *c = chunk_of(v, base, true);
	uint64_t *word = word_in(c, base);
	if (!*word) {
		struct block first = {var_new(v, b.base, b.size), WHOLE, true};
		store(c, word, &first, 1);
	}
	return block_of(*word);
}

/* ---- splitting ---- */

/* The bytes of the block that are in the mask become a variable of their own, and so do
 * the others; the part with the first byte keeps the number. Returns the new one. */
static struct block split(struct dh_host *h, uintptr_t granule, struct block *b,
			  unsigned mask)
{
	struct dh_vars *v = &h->vars;
	unsigned first = b->mask & -(unsigned)b->mask;
	unsigned stays = first & mask ? b->mask & mask : b->mask & ~mask;
	struct block other = block_new(v, granule, b->mask & ~stays);
	b->mask = (uint8_t)stays;
	v->at.at[b->var].size = (unsigned)__builtin_popcount(stays);
	dh_events_split(b->var, other.var);
	dh_stream_copy(h->stream, other.var, b->var);
	v->splits++;
	return other;
}

/* Brings the blocks so far that no block lies partly within the mask. */
static unsigned part(struct dh_host *h, uintptr_t granule, unsigned mask,
		     struct block blocks[DH_BLOCKS], unsigned count)
{
	for (unsigned i = 0, n = count; i < n; i++)
		if (!blocks[i].wide && (blocks[i].mask & mask) &&
		    (blocks[i].mask & ~mask))
			blocks[count++] = split(h, granule, &blocks[i], mask);
	return count;
}

/* Makes variables of the bytes of the mask that have none. */
static unsigned cover(struct dh_host *h, uintptr_t granule, unsigned mask,
		      struct block blocks[DH_BLOCKS], unsigned count)
{
	struct dh_vars *v = &h->vars;
	unsigned rest = mask;
	for (unsigned i = 0; i < count; i++)
		rest &= ~(unsigned)blocks[i].mask;
	if (!rest)
		return count;
	if (v->granularity == DH_GRANULARITY_OBJECT) {
		blocks[count++] = block_of_heap(h, granule);
		return count;
	}
	if (v->granularity == DH_GRANULARITY_BYTE) {
		for (; rest; rest &= rest - 1)
			blocks[count++] = block_new(v, granule, rest & -rest);
		return count;
	}
	blocks[count++] = block_new(v, granule, rest);
	return count;
}

/* ---- repeats ---- */

/* Another thread has come to the granule: may what was a repeat matter now? */
static void settle_repeats(struct dh_host *h, struct dh_var_chunk *c, uintptr_t granule,
			   uint32_t thread)
{
	uint32_t *user = &c->users[granule >> 3 & (GRANULES - 1)];
	if (h->rule == DH_REPEATS_FRAME || *user == thread + 1 || *user == MANY)
		return;
	if (*user)
		dh_mark_raise(dh_marks, granule);
	*user = *user && h->rule == DH_REPEATS_OWNER ? MANY : thread + 1;
}

/* ---- the interface ---- */

static DH_NOINLINE unsigned find_slow(struct dh_host *h, struct dh_var_chunk *c,
				      uint64_t *word, uintptr_t granule, unsigned mask,
				      uint32_t numbers[DH_BLOCKS])
{
	struct block blocks[DH_BLOCKS];
	unsigned count = load(*word, blocks), found = 0;
	count = part(h, granule, mask, blocks, count);
	count = cover(h, granule, mask, blocks, count);
	/* An object's first granule may have changed the chunk meanwhile: of it only. */
	store(c, word, blocks, count);
	for (unsigned i = 0; i < count; i++)
		if (blocks[i].mask & mask)
			numbers[found++] = blocks[i].var;
	return found;
}

unsigned dh_vars_of(struct dh_host *h, uint32_t thread, uintptr_t granule, unsigned mask,
		    uint32_t numbers[DH_BLOCKS])
{
	struct dh_var_chunk *c = chunk_of(&h->vars, granule, true);
	uint64_t *word = word_in(c, granule);
	if (h->vars.granularity >= DH_GRANULARITY_WORD)
		mask = WHOLE;
	settle_repeats(h, c, granule, thread);
	if (DH_LIKELY(!(*word & PARTS) && (uint8_t)(*word >> 32) == mask)) {
		numbers[0] = block_of(*word).var;
		return 1;
	}
	return find_slow(h, c, word, granule, mask, numbers);
}

typedef void each_granule(struct dh_host *h, uintptr_t granule, unsigned mask,
			  void *context);

static void each_in_chunk(struct dh_host *h, uintptr_t number, uintptr_t addr,
			  uintptr_t end, each_granule *f, void *context)
{
	struct dh_var_chunk *c = chunk_of(&h->vars, number << CHUNK_BITS, false);
	if (!c)
		return;
	uintptr_t start = number << CHUNK_BITS;
	uintptr_t from = DH_MAX(addr & ~(uintptr_t)7, start);
	uintptr_t to = DH_MIN(end, start + (1u << CHUNK_BITS));
	c->used++; /* it is ours until the end */
	for (uintptr_t g = from; g < to; g += 8)
		if (*word_in(c, g))
			f(h, g, dh_vars_mask(g, addr, end), context);
	c->used--;
	drop_if_empty(&h->vars, c);
}

void dh_vars_each(struct dh_host *h, uintptr_t addr, size_t size, each_granule *f,
		  void *context)
{
	struct dh_map *m = &h->vars.chunks;
	uintptr_t first = addr >> CHUNK_BITS, last = (addr + size - 1) >> CHUNK_BITS;
	if (last - first < m->cap) {
		for (uintptr_t n = first; n <= last; n++)
			each_in_chunk(h, n, addr, addr + size, f, context);
		return;
	}
	struct dh_vec(uintptr_t) numbers = {0};
	for (size_t i = 0; i < m->cap; i++)
		if (m->used[i] && m->slots[i].key >= first && m->slots[i].key <= last)
			dh_vec_push(&numbers, m->slots[i].key);
	for (size_t i = 0; i < numbers.len; i++)
		each_in_chunk(h, numbers.at[i], addr, addr + size, f, context);
	dh_vec_free(&numbers);
}

/* A variable of many granules ends with the one that it begins in. */
static void end_block(struct dh_host *h, uint32_t thread, uintptr_t granule,
		      const struct block *b)
{
	if (b->wide && (h->vars.at.at[b->var].addr & ~(uintptr_t)7) != granule)
		return;
	dh_host_feed(thread, DH_ALLOC, b->var, DH_SITE_NONE);
	dh_vec_push(&h->vars.unused, b->var);
}

static void clear_granule(struct dh_host *h, uintptr_t granule, unsigned mask,
			  void *context)
{
	struct dh_var_chunk *c = chunk_of(&h->vars, granule, false);
	uint64_t *word = word_in(c, granule);
	struct block blocks[DH_BLOCKS];
	unsigned count = load(*word, blocks), stay = 0;
	count = part(h, granule, mask, blocks, count);
	for (unsigned i = 0; i < count; i++) {
		if (blocks[i].mask & mask)
			end_block(h, *(const uint32_t *)context, granule, &blocks[i]);
		else
			blocks[stay++] = blocks[i];
	}
	store(c, word, blocks, stay);
	c->users[granule >> 3 & (GRANULES - 1)] = 0;
	dh_mark_raise(dh_marks, granule);
}

void dh_vars_clear(struct dh_host *h, uint32_t thread, uintptr_t addr, size_t size)
{
	dh_vars_each(h, addr, size, clear_granule, &thread);
}
