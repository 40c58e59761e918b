/* SPDX-License-Identifier: MIT */
/* Where cells are: in one stretch for a piece, or region by region; see shadow.h. */
#include "runtime/shadow.h"
#include "base/sys.h"
#include "runtime/observer.h"
#include "runtime/warm.h"

enum {
	ADDRESS_BITS = 48, /* with DH_SHADOW_ASIDE */
	REGION_BITS = 20,
	NUMBER_BITS = ADDRESS_BITS - REGION_BITS,
	LOWER_BITS = 13,
	UPPER_BITS = NUMBER_BITS - LOWER_BITS,
	PAGE = 4096,
	UNKNOWN = 0, /* what dh_flat has where it has no address */
	REGIONS = 1,
};
#define REGION_SIZE ((uintptr_t)1 << REGION_BITS)

/* Where a region has its cells: 0, or bias such that the cell of addr is at
 * bias + 16 * (addr >> shift of the level). */
struct region {
	uintptr_t bias[DH_LEVELS];    /* atomic */
	uintptr_t readers[DH_LEVELS]; /* atomic; the same for places of readers */
};

struct lower {
	struct region regions[1 << LOWER_BITS];
};

uintptr_t dh_flat[DH_LEVELS][DH_PIECES];
uintptr_t *dh_flat_places[DH_LEVELS];
static struct lower *upper[1 << UPPER_BITS]; /* atomic */
static uint64_t bytes;			     /* atomic */
static uint64_t refused;		     /* atomic */

enum { READERS_SIZE = DH_PLACES * sizeof(dh_record) };

/* ---- pieces ---- */

/* May address space be had for the asking? */
static bool generous(void)
{
	static uint32_t answer; /* atomic; 0: not asked yet */
	uint32_t a = __atomic_load_n(&answer, __ATOMIC_RELAXED);
	if (!a) {
		a = dh_sys_rationed() ? 1 : 2;
		__atomic_store_n(&answer, a, __ATOMIC_RELAXED);
	}
	return a == 2;
}

void *dh_shadow_reserve(size_t size)
{
	void *made = generous() ? dh_sys_map_sparse(size) : NULL;
	__atomic_fetch_add(&bytes, made ? size : 0, __ATOMIC_RELAXED);
	return made;
}

/* Address space from one of these two, or 0. It begins where a stretch of warm.h does, so
 * that none reaches into what is somebody else's. */
static uintptr_t aligned(void *map(size_t size), size_t size)
{
	const size_t step = (size_t)1 << DH_WARM_SHIFT;
	uintptr_t made = (uintptr_t)map(size + step);
	return made ? (made + step - 1) & ~(step - 1) : 0;
}

/* Finds room for all units of a piece, at so many bytes each, or decides that there is
 * none: for good, because from then on there are regions. */
static DH_COLD uintptr_t reserve(uintptr_t *place, unsigned level, size_t each)
{
	size_t size = ((uintptr_t)1 << DH_PIECE_BITS >> dh_level_shift(level)) * each;
	uintptr_t made = generous() ? aligned(dh_sys_map_sparse, size) : 0;
	uintptr_t want = made ? made : REGIONS, found = UNKNOWN;
	if (__atomic_compare_exchange_n(place, &found, want, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&bytes, made ? size : 0, __ATOMIC_RELAXED);
		return want;
	}
	if (made)
		dh_sys_unmap((void *)made, size);
	return found;
}

/* Where the units of a piece begin; 0 where they are not in one stretch. */
static uintptr_t stretch(uintptr_t *place, unsigned level, size_t each, bool make)
{
	uintptr_t base = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (base == UNKNOWN && make)
		base = reserve(place, level, each);
	return base > REGIONS ? base : 0;
}

/* ---- regions ---- */

static struct region *region_of(uintptr_t addr, bool make)
{
	uintptr_t number = addr >> REGION_BITS;
	if (number >> NUMBER_BITS)
		return NULL;
	struct lower **up = &upper[number >> LOWER_BITS];
	struct lower *low = __atomic_load_n(up, __ATOMIC_ACQUIRE);
	if (!low && make) {
		struct lower *fresh = dh_sys_map(sizeof *fresh);
		if (!fresh)
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		if (fresh &&
		    !__atomic_compare_exchange_n(up, &low, fresh, false, __ATOMIC_ACQ_REL,
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
	uintptr_t number = addr >> dh_level_shift(level);
	return bias + (each == READERS_SIZE ? dh_places_offset(number) : number * each);
}

static DH_COLD uintptr_t make_units(uintptr_t *place, uintptr_t addr, unsigned level,
				    size_t each)
{
	size_t size = (REGION_SIZE >> dh_level_shift(level)) * each;
	uintptr_t mapped = aligned(dh_sys_map, size), found = 0;
	if (!mapped) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return 0;
	}
	uintptr_t start = addr & ~(REGION_SIZE - 1);
	uintptr_t bias = mapped - unit_at(0, start, level, each);
	if (__atomic_compare_exchange_n(place, &found, bias, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		__atomic_fetch_add(&bytes, size, __ATOMIC_RELAXED);
		return bias;
	}
	dh_sys_unmap((void *)mapped, size);
	return found;
}

/* The unit of addr in a region, whose bias is one of those at this offset; or NULL. */
static void *unit_in_region(uintptr_t addr, size_t offset, unsigned level, size_t each,
			    bool make)
{
	struct region *r = region_of(addr, make);
	if (!r)
		return NULL;
	uintptr_t *place = (uintptr_t *)((char *)r + offset) + level;
	uintptr_t bias = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (!bias && make)
		bias = make_units(place, addr, level, each);
	return bias ? (void *)unit_at(bias, addr, level, each) : NULL;
}

/* ---- finding ---- */

struct dh_cell *dh_shadow_find(uintptr_t addr, unsigned level, bool make)
{
	const size_t each = sizeof(struct dh_cell);
	uintptr_t base = stretch(&dh_flat[level][dh_piece_of(addr)], level, each, make);
	if (base)
		return (struct dh_cell *)unit_at(base, (uint32_t)addr, level, each);
	return unit_in_region(addr, offsetof(struct region, bias), level, each, make);
}

/* The table of where the places of a level are; NULL where there is none. That there is no
 * room for one is decided for good, too. */
static uintptr_t *places_of(unsigned level, bool make)
{
	const size_t size = DH_PIECES * sizeof(uintptr_t);
	uintptr_t *found = __atomic_load_n(&dh_flat_places[level], __ATOMIC_ACQUIRE);
	if (!found && make) {
		uintptr_t *made = generous() ? dh_sys_map(size) : NULL;
		uintptr_t *want = made ? made : (uintptr_t *)REGIONS;
		if (__atomic_compare_exchange_n(&dh_flat_places[level], &found, want, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			found = want;
		else if (made)
			dh_sys_unmap(made, size);
	}
	return (uintptr_t)found > REGIONS ? found : NULL;
}

dh_record *dh_shadow_readers(uintptr_t addr, unsigned level, bool make)
{
	uintptr_t *table = places_of(level, make);
	uintptr_t base = table ? stretch(&table[dh_piece_of(addr)], level, READERS_SIZE, make)
			       : 0;
	if (base)
		return (dh_record *)unit_at(base, (uint32_t)addr, level, READERS_SIZE);
	return unit_in_region(addr, offsetof(struct region, readers), level, READERS_SIZE,
			      make);
}

/* ---- clearing ---- */

static void clear_word(dh_record *word, unsigned mask)
{
	dh_record r = __atomic_load_n(word, __ATOMIC_RELAXED);
	if (r && !dh_record_is_tag(r) && !(dh_record_mask(r) & ~mask))
		__atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

/* The cells of a level that lie in bytes [from, to) of the granule. Where it is not split
 * so, they mean nothing. */
static void clear_fine(uintptr_t granule, unsigned level, unsigned from, unsigned to)
{
	struct dh_cell *fine = dh_shadow_find(granule, level, false);
	unsigned shift = dh_level_shift(level), first = (from + (1u << shift) - 1) >> shift;
	for (unsigned i = first; fine && i < to >> shift; i++)
		dh_zero(&fine[i], sizeof *fine);
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
	for (unsigned level = 1; level < DH_LEVELS; level++)
		clear_fine(granule, level, from, to);
}

/* Pages that were never used stay so. */
static void clear_used(struct dh_cell *from, struct dh_cell *to)
{
	for (; from < to; from++)
		if (from->write | from->read)
			*from = (struct dh_cell){0, 0};
}

static void clear_cells(struct dh_cell *from, struct dh_cell *to)
{
	enum { WORTH_A_CALL = 16 * PAGE };
	uintptr_t a = (uintptr_t)from, b = (uintptr_t)to;
	uintptr_t first = (a + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t last = b & ~(uintptr_t)(PAGE - 1);
	if (last > first && last - first >= WORTH_A_CALL) {
		clear_used(from, (struct dh_cell *)first);
		dh_sys_discard((void *)first, last - first);
		dh_warm_forget(first, last);
		clear_used((struct dh_cell *)last, to);
	} else {
		clear_used(from, to);
	}
}

/* Finer cells need no clearing: a split sets them up. */
static void clear_granules(uintptr_t addr, uintptr_t end)
{
	while (addr < end) {
		const uintptr_t piece = (uintptr_t)1 << DH_PIECE_BITS;
		uintptr_t reach = dh_flat_cell(addr, 0) ? piece : REGION_SIZE;
		uintptr_t stop = DH_MIN(end, (addr | (reach - 1)) + 1);
		struct dh_cell *c = dh_shadow_find(addr, 0, false);
		if (c)
			clear_cells(c, c + (stop - addr) / DH_GRANULE);
		addr = stop;
	}
}

void dh_shadow_clear(uintptr_t addr, size_t size)
{
	if (DH_UNLIKELY(dh_observer != NULL) && !(addr & DH_SHADOW_ASIDE))
		dh_observe_fresh(addr, size);
	else
		dh_shadow_wipe(addr, size);
}

void dh_shadow_wipe(uintptr_t addr, size_t size)
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

/* ---- what is in use ---- */

/* Of a piece in one stretch: moves *at to the first granule whose page of shadow is in
 * memory, and returns how far such pages go on; 0 where [*at, end) has none. Not more
 * than LOOK bytes are looked at. */
enum { LOOK = 8 << 20 };

static size_t resident(uintptr_t *at, uintptr_t end)
{
	const uintptr_t per_page = PAGE / 2; /* bytes of the program to a page of shadow */
	static const size_t most = LOOK / (PAGE / 2) + 1;
	unsigned char in_memory[LOOK / (PAGE / 2) + 1];
	uintptr_t start = *at & ~(per_page - 1);
	size_t pages = (end - start + per_page - 1) / per_page, i = 0, k;
	struct dh_cell *c = dh_flat_cell(start, 0);
	if (pages > most || !dh_sys_resident(c, pages * PAGE, in_memory))
		return end - *at;
	while (i < pages && !in_memory[i])
		i++;
	for (k = i; k < pages && in_memory[k]; k++)
		;
	*at = DH_MAX(*at, DH_MIN(end, start + i * per_page));
	return DH_MIN(end, start + k * per_page) - *at;
}

size_t dh_shadow_used(uintptr_t *at, uintptr_t end)
{
	while (*at < end) {
		uintptr_t base = dh_flat_base(*at, 0);
		uintptr_t reach = base == UNKNOWN ? (uintptr_t)1 << DH_PIECE_BITS
				  : base == REGIONS ? REGION_SIZE
						    : LOOK;
		uintptr_t stop = DH_MIN(end, (*at | (reach - 1)) + 1);
		size_t part = 0;
		if (base == REGIONS && dh_shadow_find(*at, 0, false))
			part = stop - *at;
		else if (base > REGIONS)
			part = resident(at, stop);
		if (part)
			return part;
		*at = stop;
	}
	return 0;
}

size_t dh_shadow_bytes(void)
{
	return __atomic_load_n(&bytes, __ATOMIC_RELAXED);
}

uint64_t dh_shadow_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
