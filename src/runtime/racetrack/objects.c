/* SPDX-License-Identifier: MIT */
/* See objects.h. */
#include "runtime/racetrack/objects.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/heap_facts.h"
#include "runtime/shadow.h"

enum {
	ADDRESS_BITS = 47,
	SPAN_BITS = 31, /* addresses that one entry of a directory is for */
	CHUNK_BITS = 20,
	PART_BITS = 16, /* addresses whose words are a page, for lines */
	PARTS = 1 << (CHUNK_BITS - PART_BITS),
	LINES = 1 << (CHUNK_BITS - DH_RT_LINE_BITS),
	FIELDS = 1 << (CHUNK_BITS - 3),
};
_Static_assert(SPAN_BITS == DH_HEAP_LOWER_BITS + DH_UNIT_BITS, "as the heap's");

struct chunk {
	uint32_t used[PARTS]; /* atomic: something in the part has been touched */
	dh_rt_word words[];   /* atomic */
};

/* Tables that are made when first needed, all atomic. */
struct span {
	struct chunk *chunks[1 << (SPAN_BITS - CHUNK_BITS)];
};
typedef struct span *directory[1 << (ADDRESS_BITS - SPAN_BITS)];
static directory lines, fields;
static uint64_t bytes; /* atomic */
dh_rt_word *dh_rt_fields_flat;

/* ---- chunks ---- */

static void *make_once(void **place, size_t size)
{
	void *have = NULL, *fresh = dh_mem_map(size);
	if (!fresh)
		return NULL;
	if (__atomic_compare_exchange_n(place, &have, fresh, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&bytes, size, __ATOMIC_RELAXED);
		return fresh;
	}
	dh_sys_unmap(fresh, size);
	return have;
}

static struct span *span_of(directory d, uintptr_t addr, bool make)
{
	if (DH_UNLIKELY(addr >> ADDRESS_BITS))
		return NULL;
	struct span **at = &d[addr >> SPAN_BITS];
	struct span *s = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	return DH_LIKELY(s != NULL) || !make ? s : make_once((void **)at, sizeof *s);
}

static struct chunk *chunk_of(directory d, uintptr_t addr, size_t words, bool make)
{
	struct span *s = span_of(d, addr, make);
	if (DH_UNLIKELY(!s))
		return NULL;
	struct chunk **at = &s->chunks[(addr >> CHUNK_BITS) % DH_ARRAY_LEN(s->chunks)];
	struct chunk *c = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	if (DH_LIKELY(c != NULL) || !make)
		return c;
	return make_once((void **)at, sizeof *c + words * sizeof(dh_rt_word));
}

static uintptr_t in_chunk(uintptr_t addr)
{
	return addr & (((uintptr_t)1 << CHUNK_BITS) - 1);
}

/* The word is of the page of words that is for the part. */
static void touch(struct chunk *c, uintptr_t addr, dh_rt_word *word)
{
	uint32_t *used = &c->used[in_chunk(addr) >> PART_BITS];
	if (DH_LIKELY(__atomic_load_n(used, __ATOMIC_RELAXED)))
		return;
	__atomic_store_n(used, 1, __ATOMIC_RELAXED);
	dh_rt_swap(word, 0, 0); /* it is written soon: not read first */
}

/* ---- lines ---- */

static bool line(uintptr_t addr, struct dh_rt_object *out)
{
	struct chunk *c = chunk_of(lines, addr, LINES, true);
	if (DH_UNLIKELY(!c))
		return false;
	out->word = &c->words[in_chunk(addr) >> DH_RT_LINE_BITS];
	touch(c, addr, out->word);
	out->start = out->base = addr & ~(uintptr_t)(DH_RT_LINE - 1);
	out->length = out->size = DH_RT_LINE;
	return true;
}

/* ---- blocks ---- */

static uint32_t words_to_block(const struct dh_slab *s)
{
	return (s->size + DH_RT_LINE - 1) >> DH_RT_LINE_BITS;
}

static dh_rt_word *words_of(struct dh_slab *s)
{
	dh_rt_word *have = __atomic_load_n(&s->words, __ATOMIC_ACQUIRE);
	if (DH_LIKELY(have != NULL))
		return have;
	size_t size = sizeof *have * words_to_block(s) * s->blocks;
	dh_rt_word *fresh = dh_mem_alloc(size);
	if (__atomic_compare_exchange_n(&s->words, &have, fresh, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&bytes, size, __ATOMIC_RELAXED);
		return fresh;
	}
	dh_mem_free(fresh, size);
	return have;
}

/* Of a block of a small class. */
static void piece(const struct dh_heap_found *f, uintptr_t addr, struct dh_rt_object *out)
{
	uint32_t n = words_to_block(f->slab);
	uint32_t at = (uint32_t)(addr - f->base) >> DH_RT_LINE_BITS;
	out->word = f->slab->tailed ? dh_slab_tail(f->slab, f->base)
				    : &words_of(f->slab)[f->index * n + at];
	out->start = out->base = f->base + ((uintptr_t)at << DH_RT_LINE_BITS);
	out->length = out->size =
	    DH_MIN(f->slab->size - (at << DH_RT_LINE_BITS), (uint32_t)DH_RT_LINE);
}

bool dh_rt_object_find(uintptr_t addr, struct dh_rt_object *out)
{
	struct dh_heap_found f;
	out->heap = dh_heap_locate(addr, &f);
	if (out->heap && f.slab->class < DH_CLASSES) {
		piece(&f, addr, out);
		return true;
	}
	return line(addr, out);
}

/* ---- fields ---- */

void dh_rt_fields_init(void)
{
	dh_rt_fields_flat = dh_shadow_reserve(DH_RT_FIELDS_FLAT);
}

dh_rt_word *dh_rt_field_far(uintptr_t addr, bool make)
{
	struct chunk *c = chunk_of(fields, addr, FIELDS, make);
	return c ? &c->words[in_chunk(addr) >> 3] : NULL;
}

static void clear_field(dh_rt_word *word, uintptr_t granule, dh_rt_cleared *f)
{
	dh_rt_word was = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (!was)
		return;
	__atomic_store_n(word, 0, __ATOMIC_RELAXED);
	if (f)
		f(granule, was);
}

void dh_rt_fields_clear(uintptr_t from, uintptr_t to, dh_rt_cleared *f)
{
	from = (from + 7) & ~(uintptr_t)7;
	for (; dh_rt_fields_flat && from + 8 <= to && from < DH_RT_FIELDS_FLAT; from += 8)
		clear_field(&dh_rt_fields_flat[from >> 3], from, f);
	while (from < to) {
		unsigned bits = span_of(fields, from, false) ? CHUNK_BITS : SPAN_BITS;
		uintptr_t stop = DH_MIN(to, (from | (((uintptr_t)1 << bits) - 1)) + 1);
		struct chunk *c = chunk_of(fields, from, FIELDS, false);
		for (uintptr_t g = from; c && g + 8 <= stop; g += 8)
			clear_field(&c->words[in_chunk(g) >> 3], g, f);
		from = stop;
	}
}

/* ---- many ---- */

/* The lines of [from, to), in one chunk. */
static void each_line(uintptr_t from, uintptr_t to, dh_rt_each *f, void *with)
{
	const uintptr_t part = (uintptr_t)1 << PART_BITS;
	struct chunk *c = chunk_of(lines, from, LINES, false);
	if (!c)
		return;
	for (uintptr_t at = from; at < to; at = (at | (part - 1)) + 1) {
		uintptr_t stop = DH_MIN(to, (at | (part - 1)) + 1);
		if (!__atomic_load_n(&c->used[in_chunk(at) >> PART_BITS],
				     __ATOMIC_RELAXED))
			continue;
		for (uintptr_t l = at; l < stop; l = (l | (DH_RT_LINE - 1)) + 1) {
			struct dh_rt_object o = {.heap = false};
			line(l, &o);
			uintptr_t end = DH_MIN(o.base + o.size, stop);
			o.size = (uint32_t)(end - l);
			o.base = l;
			f(&o, with);
		}
	}
}

static void each_piece(const struct dh_heap_found *b, uintptr_t from, uintptr_t to,
		       dh_rt_each *f, void *with)
{
	if (!b->slab->tailed && !__atomic_load_n(&b->slab->words, __ATOMIC_ACQUIRE))
		return;
	for (uintptr_t at = from; at < to;) {
		struct dh_rt_object o = {.heap = true};
		piece(b, at, &o);
		uintptr_t end = DH_MIN(o.base + o.size, to);
		o.size = (uint32_t)(end - at);
		o.base = at;
		f(&o, with);
		at = end;
	}
}

/* May there be slabs of small blocks in the same chunk? */
static bool near_heap(uintptr_t addr)
{
	uintptr_t unit = addr >> DH_UNIT_BITS;
	return !(addr >> DH_HEAP_ADDRESS_BITS) &&
	       __atomic_load_n(&dh_heap_directory[unit >> DH_HEAP_LOWER_BITS],
			       __ATOMIC_RELAXED);
}

/* What may be looked at in one go from here on, within an object, a chunk or a unit. */
static uintptr_t next_after(uintptr_t at, uintptr_t to)
{
	unsigned bits = near_heap(at)		    ? DH_UNIT_BITS
			: span_of(lines, at, false) ? CHUNK_BITS
						    : SPAN_BITS;
	return DH_MIN(to, (at | (((uintptr_t)1 << bits) - 1)) + 1);
}

void dh_rt_objects_each(uintptr_t from, uintptr_t to, dh_rt_each *f, void *with)
{
	while (from < to) {
		struct dh_heap_found b;
		uintptr_t stop;
		if (dh_heap_locate(from, &b) && b.slab->class < DH_CLASSES) {
			stop = DH_MIN(to, b.base + b.slab->size);
			each_piece(&b, from, stop, f, with);
		} else {
			stop = next_after(from, to);
			each_line(from, stop, f, with);
		}
		from = stop;
	}
}

uint64_t dh_rt_objects_bytes(void)
{
	return __atomic_load_n(&bytes, __ATOMIC_RELAXED);
}
