/* SPDX-License-Identifier: MIT */
/* Where cells are: in one stretch for a piece, or region by region; see shadow.h. */
#include "runtime/shadow.h"
#include "base/mem.h"
#include "base/sys.h"
#include "runtime/elders.h"
#include "runtime/observer.h"
#include "runtime/tags.h"
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

/* What the shadow has for each so many bytes of the program's, as a shift: how large, and
 * how many words for each line lie before all of them. */
struct kind {
	unsigned shift;
	size_t each;
	unsigned line_words;
};

/* Where a region has these: 0, or bias such that that of addr is at bias + each * (addr >>
 * shift), but for places (dh_places_offset()). */
struct region {
	uintptr_t cells;	      /* atomic */
	uintptr_t readers[DH_LEVELS]; /* atomic */
};

struct lower {
	struct region regions[1 << LOWER_BITS];
};

uintptr_t dh_flat[DH_PIECES];
uintptr_t *dh_flat_places[DH_LEVELS];
uintptr_t dh_flat_parts;
static struct lower *upper[1 << UPPER_BITS]; /* atomic */
static uint64_t bytes;			     /* atomic */
static uint64_t refused;		     /* atomic */

enum { READERS_SIZE = DH_PLACES * sizeof(dh_record) };

static const struct kind cells = {3, sizeof(struct dh_cell), DH_LINE_WORDS};
_Static_assert(DH_GRANULE == 1 << 3, "its shift above");

static struct kind readers_of(unsigned level)
{
	return (struct kind){dh_level_shift(level), READERS_SIZE, 0};
}

/* What so many bytes of the program's have of a kind, and before it. */
static size_t size_of(struct kind k, uintptr_t span)
{
	return (span >> k.shift) * k.each;
}

static size_t front_of(struct kind k, uintptr_t span)
{
	return (span >> DH_LINE_SHIFT) * sizeof(uint32_t) * k.line_words;
}

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
	void *made = generous() ? dh_mem_map_sparse(size) : NULL;
	__atomic_fetch_add(&bytes, made ? size : 0, __ATOMIC_RELAXED);
	return made;
}

/* Address space from one of these two for all of a kind that so many bytes of the program's
 * have, or 0: where it begins, behind what lies before it. Its end and its beginning are those
 * of stretches of warm.h, so that none reaches into what is somebody else's. */
static uintptr_t make_room(void *map(size_t size), struct kind k, uintptr_t span)
{
	const size_t step = (size_t)1 << DH_WARM_SHIFT, size = size_of(k, span);
	uintptr_t made = (uintptr_t)map(front_of(k, span) + size + step);
	if (!made)
		return 0;
	__atomic_fetch_add(&bytes, front_of(k, span) + size, __ATOMIC_RELAXED);
	return (made + front_of(k, span) + step - 1) & ~(step - 1);
}

/* Somebody else has made it at the same time. */
static void unmake_room(uintptr_t made, struct kind k, uintptr_t span)
{
	const size_t front = front_of(k, span), size = front + size_of(k, span);
	dh_sys_unmap((void *)(made - front), size);
	__atomic_fetch_sub(&bytes, size, __ATOMIC_RELAXED);
}

/* Is there one stretch for the cells of parts? What is decided is so for good. */
static bool have_parts(void)
{
	const size_t size = (size_t)DH_PARTS << DH_PARTS_SHIFT;
	uintptr_t found = __atomic_load_n(&dh_flat_parts, __ATOMIC_ACQUIRE);
	if (found != UNKNOWN)
		return found != REGIONS;
	void *made = dh_shadow_reserve(size);
	if (__atomic_compare_exchange_n(&dh_flat_parts, &found,
					made ? (uintptr_t)made : REGIONS, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made != NULL;
	if (made)
		dh_shadow_parts_unmap(made, size);
	return found != REGIONS;
}

void *dh_shadow_parts_map(uint32_t number, size_t size)
{
	if (number < DH_PARTS && have_parts())
		return (char *)dh_flat_parts + ((size_t)number << DH_PARTS_SHIFT);
	void *made = number < DH_PARTS ? dh_mem_map(size) : NULL;
	__atomic_fetch_add(&bytes, made ? size : 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&refused, made ? 0 : 1, __ATOMIC_RELAXED);
	return made;
}

void dh_shadow_parts_unmap(void *addr, size_t size)
{
	dh_sys_unmap(addr, size);
	__atomic_fetch_sub(&bytes, size, __ATOMIC_RELAXED);
}

/* Finds room for all units of a piece, or decides that there is none: for good, because from
 * then on there are regions. */
static DH_COLD uintptr_t reserve(uintptr_t *place, struct kind k)
{
	const uintptr_t span = (uintptr_t)1 << DH_PIECE_BITS;
	uintptr_t made = have_parts() ? make_room(dh_mem_map_sparse, k, span) : 0;
	uintptr_t want = made ? made : REGIONS, found = UNKNOWN;
	if (__atomic_compare_exchange_n(place, &found, want, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return want;
	if (made)
		unmake_room(made, k, span);
	return found;
}

/* Where the units of a piece begin; 0 where they are not in one stretch. */
static uintptr_t stretch(uintptr_t *place, struct kind k, bool make)
{
	uintptr_t base = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (base == UNKNOWN && make)
		base = reserve(place, k);
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
		struct lower *fresh = dh_mem_map(sizeof *fresh);
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
static uintptr_t unit_at(uintptr_t bias, uintptr_t addr, struct kind k)
{
	uintptr_t number = addr >> k.shift;
	return bias + (k.each == READERS_SIZE ? dh_places_offset(number) : number * k.each);
}

static DH_COLD uintptr_t make_units(uintptr_t *place, uintptr_t addr, struct kind k)
{
	uintptr_t mapped = make_room(dh_mem_map, k, REGION_SIZE), found = 0;
	if (!mapped) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return 0;
	}
	uintptr_t start = addr & ~(REGION_SIZE - 1);
	uintptr_t bias = mapped - unit_at(0, start, k);
	if (__atomic_compare_exchange_n(place, &found, bias, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return bias;
	unmake_room(mapped, k, REGION_SIZE);
	return found;
}

/* The unit of addr in a region, whose bias is one of those at this offset; or NULL. */
static void *unit_in_region(uintptr_t addr, size_t offset, struct kind k, bool make)
{
	struct region *r = region_of(addr, make);
	if (!r)
		return NULL;
	uintptr_t *place = (uintptr_t *)((char *)r + offset);
	uintptr_t bias = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (!bias && make)
		bias = make_units(place, addr, k);
	return bias ? (void *)unit_at(bias, addr, k) : NULL;
}

/* ---- finding ---- */

struct dh_cell *dh_shadow_find(uintptr_t addr, bool make)
{
	uintptr_t base = stretch(&dh_flat[dh_piece_of(addr)], cells, make);
	if (base)
		return (struct dh_cell *)unit_at(base, (uint32_t)addr, cells);
	return unit_in_region(addr, offsetof(struct region, cells), cells, make);
}

uint32_t *dh_shadow_line(uintptr_t addr, enum dh_line_word which)
{
	const bool flat = dh_flat_base(addr) > REGIONS;
	const uintptr_t span = flat ? (uintptr_t)1 << DH_PIECE_BITS : REGION_SIZE;
	const uintptr_t offset = addr & (span - 1), words = span >> DH_LINE_SHIFT;
	uint32_t *end = (uint32_t *)(void *)dh_shadow_find(addr - offset, false);
	return end - (which + 1) * words + (offset >> DH_LINE_SHIFT);
}

/* The table of where the places of a level are; NULL where there is none. That there is no
 * room for one is decided for good, too. */
static uintptr_t *places_of(unsigned level, bool make)
{
	const size_t size = DH_PIECES * sizeof(uintptr_t);
	uintptr_t *found = __atomic_load_n(&dh_flat_places[level], __ATOMIC_ACQUIRE);
	if (!found && make) {
		uintptr_t *made = generous() ? dh_mem_map(size) : NULL;
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
	const struct kind k = readers_of(level);
	uintptr_t base = table ? stretch(&table[dh_piece_of(addr)], k, make) : 0;
	if (base)
		return (dh_record *)unit_at(base, (uint32_t)addr, k);
	return unit_in_region(addr, offsetof(struct region, readers[level]), k, make);
}

/* ---- clearing ---- */

static void clear_word(uintptr_t granule, dh_record *word, bool write, unsigned mask)
{
	dh_record r = __atomic_load_n(word, __ATOMIC_RELAXED), rest = r;
	if (dh_record_has_elders(r))
		rest = dh_elders_outside(granule, r, write, mask);
	else if (r && !dh_record_is_tag(r) && !(dh_record_mask(r) & ~mask))
		rest = 0;
	if (rest != r)
		__atomic_store_n(word, rest, __ATOMIC_RELAXED);
}

/* The cells of a split granule that lie in bytes [from, to) of it. */
static void clear_fine(dh_record split, unsigned from, unsigned to)
{
	struct dh_cell *fine = dh_split_parts(split);
	unsigned shift = dh_level_shift(dh_tag_level(dh_split_kind(split)));
	for (unsigned i = (from + (1u << shift) - 1) >> shift; i < to >> shift; i++)
		dh_zero(&fine[i], sizeof *fine);
}

/* Bytes [from, to) of one granule. */
static void clear_part(uintptr_t granule, unsigned from, unsigned to)
{
	unsigned mask = ((1u << (to - from)) - 1) << from;
	struct dh_cell *c = dh_shadow_find(granule, false);
	if (!c)
		return;
	clear_word(granule, &c->write, true, mask);
	clear_word(granule, &c->read, false, mask);
	dh_record write = __atomic_load_n(&c->write, __ATOMIC_ACQUIRE);
	if (dh_split_kind(write))
		clear_fine(write, from, to);
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
		uintptr_t reach = dh_flat_cell(addr) ? piece : REGION_SIZE;
		uintptr_t stop = DH_MIN(end, (addr | (reach - 1)) + 1);
		struct dh_cell *c = dh_shadow_find(addr, false);
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
	struct dh_cell *c = dh_flat_cell(start);
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
		uintptr_t base = dh_flat_base(*at);
		uintptr_t reach = base == UNKNOWN ? (uintptr_t)1 << DH_PIECE_BITS
				  : base == REGIONS ? REGION_SIZE
						    : LOOK;
		uintptr_t stop = DH_MIN(end, (*at | (reach - 1)) + 1);
		size_t part = 0;
		if (base == REGIONS && dh_shadow_find(*at, false))
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
