/* SPDX-License-Identifier: MIT */
/*
 * See vars.h. A chunk is 512 bytes of memory; it has a word for each granule:
 *
 *   0                          no variable
 *   mask << 32 | number + 1    one block
 *   ... | kind << 40           in a unit: never split; in a tomb: split off when accessed
 *   PARTS | address            several blocks
 */
#include "runtime/host/vars.h"
#include "runtime/heap.h"
#include "runtime/host/events.h"
#include "runtime/host/host.h"

enum { CHUNK_BITS = 9, GRANULES = 1 << (CHUNK_BITS - 3), WHOLE = 0xff };

#define PARTS ((uint64_t)1 << 63)
#define TOMB  ((uint64_t)IN_TOMB << 40)

/* A unit and a tomb may have other granules too. */
enum kind { OWN, IN_UNIT, IN_TOMB };

struct block {
	uint32_t var;
	uint8_t mask;
	uint8_t kind;
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
	return (uint64_t)b.mask << 32 | (b.var + 1) | (uint64_t)b.kind << 40;
}

static struct block block_of(uint64_t word)
{
	return (struct block){(uint32_t)word - 1, (uint8_t)(word >> 32),
			      (uint8_t)(word >> 40)};
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
	v->dropped++;
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
	v->at.at[var] = (struct dh_var){.addr = addr, .size = size};
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
	return (struct block){var, (uint8_t)mask, OWN};
}

/* ---- units ---- */

/* The unit that the byte is in: by annotation, else a heap block where these are units.
 */
static bool unit_at(const struct dh_vars *v, uintptr_t addr, uintptr_t *start,
		    size_t *size)
{
	struct dh_heap_block b;
	for (size_t i = v->units.len; i > 0; i--) {
		const struct dh_unit *u = &v->units.at[i - 1];
		if (addr - u->start >= u->size)
			continue;
		*start = addr - (addr - u->start) % u->each;
		*size = DH_MIN(u->each, u->start + u->size - *start);
		return true;
	}
	if (v->granularity != DH_GRANULARITY_OBJECT || !dh_heap_find(addr, &b) || b.freed)
		return false;
	*start = b.base;
	*size = (b.size + 7) & ~(size_t)7;
	return true;
}

/* The bytes of the granule that are in the unit. */
static struct block block_of_unit(struct dh_vars *v, uintptr_t granule, uintptr_t start,
				  size_t size)
{
	bool fresh;
	uint64_t *have = dh_map_put(&v->unit_vars, start, &fresh);
	if (fresh)
		*have = var_new(v, start, size);
	uint32_t var = (uint32_t)*have;
	v->at.at[var].granules++;
	unsigned mask = dh_vars_mask(granule, start, start + size);
	return (struct block){var, (uint8_t)mask, IN_UNIT};
}

/* A variable of many granules ends with the last of them. */
static void end_block(struct dh_host *h, uint32_t thread, const struct block *b)
{
	if (b->kind != OWN && --h->vars.at.at[b->var].granules > 0)
		return;
	if (b->kind == IN_UNIT)
		dh_map_remove(&h->vars.unit_vars, h->vars.at.at[b->var].addr);
	dh_host_feed(thread, DH_ALLOC, b->var, DH_SITE_NONE);
	dh_vec_push(&h->vars.unused, b->var);
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

/* A granule of its own instead of its part in a tomb. */
static struct block leave_tomb(struct dh_host *h, uintptr_t granule, struct block tomb)
{
	struct dh_vars *v = &h->vars;
	struct block own = block_new(v, granule, WHOLE);
	dh_events_split(tomb.var, own.var);
	dh_stream_copy(h->stream, own.var, tomb.var);
	end_block(h, h->guests->id, &tomb); /* whoever says so */
	return own;
}

/* Brings the blocks so far that no block lies partly within the mask. */
static unsigned part(struct dh_host *h, uintptr_t granule, unsigned mask,
		     struct block blocks[DH_BLOCKS], unsigned count)
{
	if (count && blocks[0].kind == IN_TOMB)
		blocks[0] = leave_tomb(h, granule, blocks[0]);
	for (unsigned i = 0, n = count; i < n; i++)
		if (blocks[i].kind == OWN && (blocks[i].mask & mask) &&
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
	while (rest && (v->units.len || v->granularity == DH_GRANULARITY_OBJECT)) {
		uintptr_t start, at = first_of(granule, rest);
		size_t size;
		if (!unit_at(v, at, &start, &size))
			break;
		blocks[count] = block_of_unit(v, granule, start, size);
		rest &= ~(unsigned)blocks[count++].mask;
	}
	if (!rest)
		return count;
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

void dh_vars_unit(struct dh_host *h, uint32_t thread, uintptr_t addr, size_t size,
		  size_t each)
{
	dh_vars_clear(h, thread, addr, size);
	dh_vars_forget_units(h, addr, size);
	if (each == 0 || each > size)
		each = size;
	dh_vec_push(&h->vars.units, (struct dh_unit){addr, size, each});
}

void dh_vars_forget_units(struct dh_host *h, uintptr_t addr, size_t size)
{
	size_t stay = 0;
	for (size_t i = 0; i < h->vars.units.len; i++) {
		struct dh_unit u = h->vars.units.at[i];
		if (u.start < addr || u.start + u.size > addr + size)
			h->vars.units.at[stay++] = u;
	}
	h->vars.units.len = stay;
}

bool dh_vars_coarse(const struct dh_vars *v, uint32_t var)
{
	return v->at.at[var].granules || v->granularity == DH_GRANULARITY_WORD;
}

static DH_NOINLINE unsigned find_slow(struct dh_host *h, struct dh_var_chunk *c,
				      uint64_t *word, uintptr_t granule, unsigned mask,
				      uint32_t numbers[DH_BLOCKS])
{
	struct block blocks[DH_BLOCKS];
	unsigned count = load(*word, blocks), found = 0;
	count = part(h, granule, mask, blocks, count);
	count = cover(h, granule, mask, blocks, count);
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
		mask = WHOLE; /* as far as no unit begins or ends in it */
	settle_repeats(h, c, granule, thread);
	if (DH_LIKELY(!(*word & (PARTS | TOMB)) && (uint8_t)(*word >> 32) == mask)) {
		numbers[0] = block_of(*word).var;
		return 1;
	}
	return find_slow(h, c, word, granule, mask, numbers);
}

/* ---- in the gate ---- */

static const struct dh_var_chunk *chunk_near(const struct dh_vars *v,
					     struct dh_var_near *near, uintptr_t addr)
{
	uintptr_t number = addr >> CHUNK_BITS;
	if (DH_LIKELY(near->chunk && near->dropped == v->dropped &&
		      near->chunk->number == number))
		return near->chunk;
	const uint64_t *have = dh_map_get(&v->chunks, number);
	if (!have)
		return NULL;
	near->dropped = v->dropped;
	return near->chunk = (const struct dh_var_chunk *)(uintptr_t)*have;
}

/* The blocks of a granule that has several, if they cover the mask and no one lies across
 * its border; but a unit may. */
static unsigned find_parts(uint64_t word, unsigned mask, uint32_t numbers[DH_BLOCKS])
{
	struct block blocks[DH_BLOCKS];
	unsigned count = load(word, blocks), found = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct block *b = &blocks[i];
		if (!(b->mask & mask))
			continue;
		if (b->kind == IN_TOMB || (b->kind == OWN && (b->mask & ~mask)))
			return 0;
		mask &= ~(unsigned)b->mask;
		numbers[found++] = b->var;
	}
	return mask ? 0 : found;
}

unsigned dh_vars_find(const struct dh_vars *v, struct dh_var_near *near,
		      uintptr_t granule, unsigned mask, uint32_t numbers[DH_BLOCKS])
{
	const struct dh_var_chunk *c = chunk_near(v, near, granule);
	if (!c)
		return 0;
	uint64_t word = c->words[granule >> 3 & (GRANULES - 1)];
	if (v->granularity >= DH_GRANULARITY_WORD)
		mask = WHOLE; /* as far as no unit begins or ends in it */
	if (DH_LIKELY(!(word & (PARTS | TOMB)) && (uint8_t)(word >> 32) == mask)) {
		numbers[0] = block_of(word).var;
		return 1;
	}
	return find_parts(word, mask, numbers);
}

/* ---- ranges ---- */

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
			end_block(h, *(const uint32_t *)context, &blocks[i]);
		else
			blocks[stay++] = blocks[i];
	}
	store(c, word, blocks, stay);
	c->users[granule >> 3 & (GRANULES - 1)] = 0;
	dh_mark_raise(dh_marks, granule);
}

uint32_t dh_vars_bury(struct dh_host *h, uintptr_t addr, size_t size)
{
	struct dh_vars *v = &h->vars;
	struct block tomb = {UINT32_MAX, WHOLE, IN_TOMB};
	for (uintptr_t g = addr; g < addr + size; g += 8) {
		struct dh_var_chunk *c = chunk_of(v, g, true);
		uint64_t *word = word_in(c, g);
		if (*word)
			continue;
		if (tomb.var == UINT32_MAX)
			tomb.var = var_new(v, g, 8);
		v->at.at[tomb.var].granules++;
		store(c, word, &tomb, 1);
		dh_mark_raise(dh_marks, g);
	}
	return tomb.var;
}

void dh_vars_clear(struct dh_host *h, uint32_t thread, uintptr_t addr, size_t size)
{
	dh_vars_each(h, addr, size, clear_granule, &thread);
}
