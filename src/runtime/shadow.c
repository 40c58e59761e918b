/* SPDX-License-Identifier: MIT */
/* Regions and their directory; see shadow.h. */
#include "runtime/shadow.h"
#include "base/sys.h"

enum {
	ADDRESS_BITS = 47,
	NUMBER_BITS = ADDRESS_BITS - DH_REGION_BITS,
	LOWER_BITS = 13,
	UPPER_BITS = NUMBER_BITS - LOWER_BITS,
	PAGE = 4096,
};

/* Where a region has its cells: 0, or bias such that the cell of addr is at
 * bias + 16 * (addr >> shift of the level). */
struct region {
	uintptr_t bias[DH_LEVELS];    /* atomic */
	uintptr_t readers[DH_LEVELS]; /* atomic; the same for places of readers */
};

struct lower {
	struct region regions[1 << LOWER_BITS];
};

static struct lower *upper[1 << UPPER_BITS]; /* atomic */
static uint64_t bytes;                       /* atomic */
static uint64_t refused;                     /* atomic */

enum { READERS_SIZE = DH_READERS * sizeof(dh_record) };

/* Bytes of a region's units of a level, at so many bytes per unit. */
static size_t units_size(unsigned level, size_t each)
{
	return (DH_REGION_SIZE >> dh_level_shift(level)) * each;
}

static struct region *region_of(uintptr_t addr, bool make)
{
	uintptr_t number = addr >> DH_REGION_BITS;
	if (number >> NUMBER_BITS)
		return NULL;
	struct lower **up = &upper[number >> LOWER_BITS];
	struct lower *low = __atomic_load_n(up, __ATOMIC_ACQUIRE);
	if (!low && make) {
		struct lower *fresh = dh_sys_map(sizeof *fresh);
		if (fresh && !__atomic_compare_exchange_n(up, &low, fresh, false,
							  __ATOMIC_ACQ_REL,
							  __ATOMIC_ACQUIRE))
			dh_sys_unmap(fresh, sizeof *fresh);
		else
			low = fresh;
	}
	return low ? &low->regions[number % (1 << LOWER_BITS)] : NULL;
}

/* Where the unit of addr is, given the bias. */
static uintptr_t unit_at(uintptr_t bias, uintptr_t addr, unsigned level, size_t each)
{
	return bias + (addr >> dh_level_shift(level)) * each;
}

static DH_COLD uintptr_t make_units(uintptr_t *place, uintptr_t addr, unsigned level,
				    size_t each)
{
	size_t size = units_size(level, each);
	uintptr_t mapped = (uintptr_t)dh_sys_map(size), found = 0;
	if (!mapped) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return 0;
	}
	uintptr_t start = addr & ~(DH_REGION_SIZE - 1);
	uintptr_t bias = mapped - unit_at(0, start, level, each);
	if (__atomic_compare_exchange_n(place, &found, bias, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&bytes, size, __ATOMIC_RELAXED);
		return bias;
	}
	dh_sys_unmap((void *)mapped, size);
	return found;
}

static uintptr_t find_bias(uintptr_t addr, unsigned level, bool make)
{
	struct region *r = region_of(addr, make);
	if (!r)
		return 0;
	uintptr_t bias = __atomic_load_n(&r->bias[level], __ATOMIC_ACQUIRE);
	return bias || !make ? bias
			     : make_units(&r->bias[level], addr, level,
					  sizeof(struct dh_cell));
}

dh_record *dh_shadow_readers(uintptr_t addr, unsigned level, bool make)
{
	struct region *r = region_of(addr, make);
	if (!r)
		return NULL;
	uintptr_t bias = __atomic_load_n(&r->readers[level], __ATOMIC_ACQUIRE);
	if (!bias && make)
		bias = make_units(&r->readers[level], addr, level, READERS_SIZE);
	return bias ? (dh_record *)unit_at(bias, addr, level, READERS_SIZE) : NULL;
}

static struct dh_cell *cell_at(uintptr_t bias, uintptr_t addr, unsigned level)
{
	return (struct dh_cell *)unit_at(bias, addr, level, sizeof(struct dh_cell));
}

struct dh_cell *dh_shadow_find(uintptr_t addr, unsigned level, bool make)
{
	uintptr_t bias = find_bias(addr, level, make);
	return bias ? cell_at(bias, addr, level) : NULL;
}

/* A signal handler may come in between: never a new mark with old cells. */
static void note(struct dh_tlb *tlb, uintptr_t addr)
{
	uintptr_t start = addr & ~(DH_REGION_SIZE - 1);
	struct dh_tlb_entry *e = &tlb->at[(addr >> DH_REGION_BITS) % DH_TLB_ENTRIES];
	__atomic_store_n(&e->mark, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (unsigned level = 0; level < DH_LEVELS; level++)
		e->cells[level] = (uintptr_t)dh_shadow_find(start, level, false);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&e->mark, ~start, __ATOMIC_RELAXED);
}

struct dh_cell *dh_shadow_note(struct dh_tlb *tlb, uintptr_t addr)
{
	struct dh_cell *c = dh_shadow_find(addr, 0, true);
	if (DH_LIKELY(c != NULL && !tlb->fixed))
		note(tlb, addr);
	return c;
}

void dh_shadow_note_fine(struct dh_tlb *tlb, uintptr_t addr, unsigned level)
{
	const struct dh_tlb_entry *e = dh_tlb_at(tlb, addr);
	if (!(dh_tlb_has(e, addr) && e->cells[level]) && !tlb->fixed)
		note(tlb, addr);
}

/* ---- clearing ---- */

static void clear_word(dh_record *word, unsigned mask)
{
	dh_record r = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (r && !dh_record_is_tag(r) && !(dh_record_mask(r) & ~mask))
		__atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

/* Bytes [from, to) of one granule. */
static void clear_part(uintptr_t granule, unsigned from, unsigned to)
{
	unsigned mask = ((1u << (to - from)) - 1) << from;
	struct dh_cell *c = dh_shadow_find(granule, 0, false);
	if (!c)
		return;
	clear_word(&c->write, mask);
	clear_word(&c->read, mask);
	if (!dh_record_is_tag(__atomic_load_n(&c->write, __ATOMIC_RELAXED)))
		return;
	struct dh_cell *fine = dh_shadow_find(granule, 2, false);
	for (unsigned i = from; fine && i < to; i++)
		dh_zero(&fine[i], sizeof *fine);
}

static void clear_cells(struct dh_cell *from, struct dh_cell *to)
{
	enum { WORTH_A_CALL = 16 * PAGE };
	uintptr_t a = (uintptr_t)from, b = (uintptr_t)to;
	uintptr_t first = (a + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t last = b & ~(uintptr_t)(PAGE - 1);
	if (last > first && last - first >= WORTH_A_CALL) {
		dh_zero(from, first - a);
		dh_sys_discard((void *)first, last - first);
		dh_zero((void *)last, b - last);
	} else {
		dh_zero(from, b - a);
	}
}

/* Finer cells need no clearing: a split sets them up. */
static void clear_granules(uintptr_t addr, uintptr_t end)
{
	while (addr < end) {
		uintptr_t stop = DH_MIN(end, (addr | (DH_REGION_SIZE - 1)) + 1);
		struct dh_cell *c = dh_shadow_find(addr, 0, false);
		if (c)
			clear_cells(c, c + (stop - addr) / DH_GRANULE);
		addr = stop;
	}
}

void dh_shadow_clear(uintptr_t addr, size_t size)
{
	uintptr_t end = addr + size;
	uintptr_t first = (addr + 7) & ~(uintptr_t)7, last = end & ~(uintptr_t)7;
	if (first > last) {
		clear_part(last, (unsigned)(addr - last), (unsigned)(end - last));
		return;
	}
	if (addr < first)
		clear_part(first - DH_GRANULE, (unsigned)(addr & 7), DH_GRANULE);
	clear_granules(first, last);
	if (last < end)
		clear_part(last, 0, (unsigned)(end - last));
}

/* ---- sweeping ---- */

void dh_shadow_each(void (*f)(void *context, struct dh_cell *from, struct dh_cell *to),
		    void *context)
{
	for (uintptr_t u = 0; u < DH_ARRAY_LEN(upper); u++) {
		struct lower *low = __atomic_load_n(&upper[u], __ATOMIC_ACQUIRE);
		for (uintptr_t i = 0; low && i < DH_ARRAY_LEN(low->regions); i++) {
			uintptr_t start = (u << LOWER_BITS | i) << DH_REGION_BITS;
			for (unsigned level = 0; level < DH_LEVELS; level++) {
				struct dh_cell *c = dh_shadow_find(start, level, false);
				if (c)
					f(context, c,
					  c + (DH_REGION_SIZE >> dh_level_shift(level)));
			}
		}
	}
}

size_t dh_shadow_bytes(void)
{
	return __atomic_load_n(&bytes, __ATOMIC_RELAXED);
}

uint64_t dh_shadow_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
