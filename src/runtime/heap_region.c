/* SPDX-License-Identifier: MIT */
/*
 * Runs of units; see heap_region.h. First fit over all regions: each has a byte with
 * the length of its longest free run, so a full one is passed over at a glance.
 *
 * Units that come back keep their memory, up to half of all units; beyond that it goes
 * back to the kernel, with its shadow, and the units are clean again.
 */
#include "runtime/heap_region.h"
#include "base/sys.h"
#include "runtime/access.h"
#include "runtime/sync.h"

enum {
	GROUP = 64,				 /* regions described together */
	IDLE_LEAST = (16 << 20) >> DH_UNIT_BITS, /* units */
	REGIONS_AT_ONCE = 16,			 /* mapped together, at most */
};

static struct group {
	struct group *next;
	unsigned count;
	uint8_t longest[GROUP];
	struct dh_heap_region regions[GROUP];
} * groups, *last; /* all under dh_slab_lock, as is what follows */
static uint64_t region_count;
static uint64_t idle;		   /* units that are free and not clean */
static uintptr_t ahead, ahead_end; /* mapped, in no region yet */

static uint64_t run_mask(unsigned first, unsigned units)
{
	return (units == 64 ? ~0ull : (1ull << units) - 1) << first;
}

/* The bits from which so many are set. */
static uint64_t run_starts(uint64_t bits, unsigned units)
{
	unsigned have = 1;
	while (have < units) {
		unsigned step = DH_MIN(have, units - have);
		bits &= bits >> step;
		have += step;
	}
	return bits;
}

static uint8_t longest_run(uint64_t bits)
{
	uint8_t n = 0;
	for (; bits; bits &= bits << 1)
		n++;
	return n;
}

static uint64_t aligned_starts(unsigned align)
{
	uint64_t bits = 1;
	for (unsigned at = align; at < DH_HEAP_UNITS; at += align)
		bits |= 1ull << at;
	return bits;
}

/* ---- regions ---- */

static struct group *group_with_room(void)
{
	if (last && last->count < GROUP)
		return last;
	struct group *g = dh_heap_arena(sizeof *g);
	if (!g)
		return NULL;
	*(last ? &last->next : &groups) = g;
	last = g;
	return g;
}

/* The more there are the more are mapped together. */
static bool map_ahead(void)
{
	uint64_t n = DH_MIN(1 + region_count / 4, (uint64_t)REGIONS_AT_ONCE);
	ahead = dh_heap_map(n * DH_HEAP_REGION, DH_HEAP_REGION);
	if (!ahead && n > 1)
		ahead = dh_heap_map((n = 1) * DH_HEAP_REGION, DH_HEAP_REGION);
	ahead_end = ahead ? ahead + n * DH_HEAP_REGION : 0;
	return ahead != 0;
}

static bool add_region(void)
{
	struct group *g = group_with_room();
	if (!g || (ahead == ahead_end && !map_ahead()))
		return false;
	struct dh_heap_region *r = &g->regions[g->count];
	r->base = ahead;
	r->free = r->clean = r->untaken = ~0ull;
	r->longest = &g->longest[g->count++];
	*r->longest = DH_HEAP_UNITS;
	ahead += DH_HEAP_REGION;
	region_count++;
	return true;
}

/* ---- runs ---- */

static uintptr_t take_at(struct dh_slab *s, struct dh_heap_region *r, unsigned first)
{
	uint64_t run = run_mask(first, s->units);
	uint64_t used = run & ~r->clean;
	uintptr_t base = r->base + ((uintptr_t)first << DH_UNIT_BITS);
	/* Of a small block all that can be marked is cleared when it is given out. */
	s->worn = used && s->size && s->size <= DH_END_MARKED;
	if (used && !s->worn) {
		dh_shadow_clear(base, s->room);
		dh_sync_forget_range(base, s->room);
	}
	idle -= (unsigned)__builtin_popcountll(used);
	s->first = !(run & ~r->untaken);
	r->free &= ~run;
	r->clean &= ~run;
	r->untaken &= ~run;
	*r->longest = longest_run(r->free);
	s->region = r;
	s->zero = !used;
	return base;
}

static uintptr_t take_in(struct dh_slab *s, struct group *g, uint64_t starts)
{
	for (unsigned i = 0; i < g->count; i++) {
		if (g->longest[i] < s->units)
			continue;
		struct dh_heap_region *r = &g->regions[i];
		uint64_t at = run_starts(r->free, s->units) & starts;
		if (at)
			return take_at(s, r, (unsigned)__builtin_ctzll(at));
	}
	return 0;
}

uintptr_t dh_heap_run_take(struct dh_slab *s, unsigned align)
{
	uint64_t starts = aligned_starts(align);
	do {
		for (struct group *g = groups; g; g = g->next) {
			uintptr_t base = take_in(s, g, starts);
			if (base)
				return base;
		}
	} while (add_region());
	return 0;
}

static uint64_t idle_max(void)
{
	return DH_MAX((uint64_t)IDLE_LEAST, region_count * DH_HEAP_UNITS / 2);
}

void dh_heap_run_give(struct dh_slab *s, uintptr_t base)
{
	struct dh_heap_region *r = s->region;
	uint64_t run = run_mask((unsigned)((base - r->base) >> DH_UNIT_BITS), s->units);
	r->free |= run;
	if (idle + s->units > idle_max()) {
		dh_sys_discard((void *)base, s->room);
		dh_shadow_clear(base, s->room);
		dh_sync_forget_range(base, s->room);
		r->clean |= run;
	} else {
		idle += s->units;
	}
	*r->longest = longest_run(r->free);
}

uint64_t dh_heap_regions(void)
{
	return region_count;
}
